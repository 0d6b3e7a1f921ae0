"""The three places where a query meets documents; all of them must find the same ones."""

import sqlite3
import string

import tantivy

from clawa_search.search.quotes import parts
from indexer.analysis import (
    TOKENIZER,
    analyse,
    analyzer,
    code_tokens,
    query_words,
    text_tokens,
)


def words_of(query):
    if len(query) > 2 and query[0] == query[-1] == '"':
        text = query[1:-1]
        return parts(text, query_words(text))
    return query_words(query)


class Python:
    def __init__(self, documents):
        self.tokens = [(text_tokens(text), code_tokens(text)) for text in documents]

    def find(self, words):
        return {
            number
            for number, (texts, codes) in enumerate(self.tokens)
            if all(word.matches(texts, codes) for word in words)
        }


class Tantivy:
    def __init__(self, documents):
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("text", tokenizer_name=TOKENIZER)
        builder.add_text_field("code", tokenizer_name="whitespace", index_option="basic")
        builder.add_integer_field("number", fast=True, stored=True)
        self.schema = builder.build()
        self.index = tantivy.Index(self.schema)
        self.index.register_tokenizer(TOKENIZER, analyzer())
        writer = self.index.writer(15_000_000, 1)
        for number, text in enumerate(documents):
            expanded, code = analyse(text)
            writer.add_document(tantivy.Document(text=expanded, code=code, number=number))
        writer.commit()
        writer.wait_merging_threads()
        self.index.reload()

    def find(self, words):
        every = [(tantivy.Occur.Must, self._query(word)) for word in words]
        searcher = self.index.searcher()
        hits = searcher.search(tantivy.Query.boolean_query(every), 100).hits
        return {searcher.doc(address)["number"][0] for _, address in hits}

    def _query(self, word):
        forms = [tantivy.Query.term_query(self.schema, "code", code) for code in word.codes]
        forms += [self._phrase(list(tokens)) for tokens, _ in word.written]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, form) for form in forms])

    def _phrase(self, tokens):
        if len(tokens) == 1:
            return tantivy.Query.term_query(self.schema, "text", tokens[0])
        return tantivy.Query.phrase_query(self.schema, "text", tokens)


class Fts5:
    def __init__(self, documents):
        self.database = sqlite3.connect(":memory:")
        characters = string.punctuation.replace("'", "''")
        tokenize = f"ascii tokenchars '{characters}'".replace('"', '""')
        self.database.execute(
            f'CREATE VIRTUAL TABLE f USING fts5(text, code, tokenize = "{tokenize}")'
        )
        self.database.executemany(
            "INSERT INTO f (rowid, text, code) VALUES (?, ?, ?)",
            [
                (number, " ".join(text_tokens(text)), " ".join(code_tokens(text)))
                for number, text in enumerate(documents)
            ],
        )

    def find(self, words):
        every = " AND ".join(f"({self._query(word)})" for word in words)
        rows = self.database.execute("SELECT rowid FROM f WHERE f MATCH ?", (every,))
        return {number for (number,) in rows}

    def _query(self, word):
        forms = [f'code : "{code}"' for code in word.codes]
        forms += [f'text : "{" ".join(tokens)}"' for tokens, _ in word.written]
        return " OR ".join(forms)

    def close(self):
        self.database.close()


ENGINES = (Python, Tantivy, Fts5)


def found_by(engine, documents, queries):
    """Return, for each query with words in it, the numbers of the documents that it finds."""
    made = engine(documents)
    try:
        return [made.find(words_of(query)) for query in queries if words_of(query)]
    finally:
        getattr(made, "close", int)()
