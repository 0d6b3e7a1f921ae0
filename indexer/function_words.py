"""English closed-class words: a query loses them before it is ranked, unless nothing is left.

A whole class, not a list tuned on data: articles, quantifiers, pronouns, auxiliaries,
prepositions, conjunctions, question words. Modal verbs that are also names ("may", "must") are
left out.
"""

FUNCTION_WORDS = """
a an the this that these those each few more most other some such all any both own same
many much several every either neither another enough

i me my myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves

am is are was were be been being have has had having do does did doing
can could shall should will would might ought

about above after against at before below between by down during for from in into of off on
out over through to under until up upon with

and but or nor if because as while than so not no only very too just also again
further then once here there

what when where which who whom whose why how

aren't can't cannot couldn't didn't doesn't don't hadn't hasn't haven't isn't shouldn't wasn't weren't
won't wouldn't let's what's when's where's who's why's it's that's i'm i've you're
s t d m ll re ve
"""

FRAME_WORDS = """
please thanks thank sorry hey hi hello kindly ok okay
tell telling told say said know ask asked talk talked discuss discussed mention mentioned
remember remind recall happen wonder wondering mind quick question conversation conversations
ever whether look find search check
"""
"""What a polite question or an order is wrapped in: "could you please tell me whether …". Each of
them means something by itself; several of them around other words do not."""
