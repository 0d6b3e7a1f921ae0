"""Session file formats, one module an agent. A format turns the bytes of a line into entries."""
