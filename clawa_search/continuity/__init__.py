"""Who I am and what to keep: hydration, its image, the memory pass, what the model still sees."""
