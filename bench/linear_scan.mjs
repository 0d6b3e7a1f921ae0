// The search that clawa-search replaces, as pi-clawa does it: read the newest session files whole,
// parse every line, count the query's words as substrings. Baseline and oracle of the benchmarks.
//
// usage: node linear_scan.mjs SESSIONS_DIR MAX_FILES WORD...    prints one JSON line a hit
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const WORD = /[\p{L}\p{N}_-]+/gu;

function wordsOf(query) {
  return [...new Set(query.toLowerCase().match(WORD) ?? [])];
}

function textOf(content) {
  if (typeof content === "string") return content.trim();
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((part) => (part?.type === "text" && typeof part.text === "string" ? [part.text.trim()] : []))
    .filter(Boolean)
    .join("\n");
}

function said(entry) {
  const role = entry.message?.role;
  if (entry.type === "message" && (role === "user" || role === "assistant")) {
    return [role, textOf(entry.message.content)];
  }
  if (entry.type === "custom_message") return ["custom", textOf(entry.content)];
  if (entry.type === "compaction" && typeof entry.summary === "string") return ["compaction", entry.summary];
  if (entry.type === "branch_summary" && typeof entry.summary === "string") return ["branch", entry.summary];
  return null;
}

function parse(line) {
  try {
    const value = JSON.parse(line);
    return value && typeof value === "object" ? value : null;
  } catch {
    return null;
  }
}

function score(text, words) {
  const lower = text.toLowerCase();
  return words.reduce((sum, word) => sum + (lower.includes(word) ? 2 : 0), 0);
}

function scan(path, words) {
  const hits = [];
  for (const [index, line] of readFileSync(path, "utf8").split(/\r?\n/).entries()) {
    if (!line.trim()) continue;
    const entry = parse(line);
    const found = entry && said(entry);
    if (!found || !found[1].trim()) continue;
    const points = score(found[1], words);
    if (points === 0) continue;
    hits.push({
      score: points + (found[0] === "compaction" ? 1 : 0),
      ts: Date.parse(entry.timestamp) || 0,
      path,
      line: index + 1,
      entry_id: entry.id,
      role: found[0],
      text: found[1].slice(0, 500),
    });
  }
  return hits;
}

const [root, most, ...query] = process.argv.slice(2);
const files = readdirSync(root, { recursive: true })
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => join(root, name))
  .map((path) => ({ path, changed: statSync(path).mtimeMs }))
  .sort((one, two) => two.changed - one.changed)
  .slice(0, Number(most));
const words = wordsOf(query.join(" "));
const hits = files
  .flatMap(({ path }) => scan(path, words))
  .sort((one, two) => two.score - one.score || two.ts - one.ts);
for (const hit of hits.slice(0, 10)) console.log(JSON.stringify(hit));
console.error(JSON.stringify({ files: files.length, hits: hits.length }));
