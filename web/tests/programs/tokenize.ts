// Tokenizes texts and decodes ids, for tests/live/test_tokenizer.py.
import { readFileSync } from "node:fs";
import { Tokenizer } from "../../source/engine/tokenizer";
import { piecesByWord, splitWords } from "../../source/engine/words";

const { vocabulary, texts, ids } = JSON.parse(readFileSync(0, "utf8"));
const tokenizer = new Tokenizer(vocabulary);
const encoded = texts.map((text: string) => {
  const { ids, names, spans } = tokenizer.encode(text);
  const words = splitWords(text);
  return { ids, names, spans, words, wordPieces: piecesByWord(spans, words) };
});
const decoded = ids.map((row: number[]) => {
  const { text, pieces } = tokenizer.decode(row);
  return { text, spans: pieces.spans };
});
console.log(JSON.stringify({ encoded, decoded }));
