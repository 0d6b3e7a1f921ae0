/** Answers with the entries that Pi itself would show to the model: {entries, leaf} a line in, ids a line out. */
import { createInterface } from "node:readline";

const { buildSessionProjection } = await import(process.argv[2]);

for await (const line of createInterface({ input: process.stdin })) {
  const { entries, leaf } = JSON.parse(line);
  const shown = buildSessionProjection(entries, leaf, new Map(entries.map((one) => [one.id, one]))).entries;
  const as_written = ({ sourceEntry, messages }) =>
    messages.length > 0 && JSON.stringify(messages).includes(`text of ${sourceEntry.id};`);
  process.stdout.write(`${JSON.stringify(shown.filter(as_written).map((one) => one.sourceEntry.id))}\n`);
}
