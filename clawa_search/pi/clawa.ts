/**
 * clawa-search for Pi: the tools `remember` and `recall`, hydration, the memory pass.
 *
 * This file decides only what needs Pi's own state; every text and number comes from `clawa-search bridge`, a
 * resident child that speaks JSON lines. It imports node builtins and types, so it runs unbuilt on every Pi from
 * 0.80.6 on. Compaction is Pi's alone: nothing here writes, replaces or delays a summary.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ContextEvent, ExtensionAPI, ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";

const HERE = dirname(fileURLToPath(import.meta.url));
const PROTOCOL = 1;
const HYDRATION = "clawa-hydration";
const PASS = "clawa-memory-pass";
/** What a timer takes: a longer one would end at once. */
const MAX_MS = 2 ** 31 - 1;
const ASKED_MS = Number(process.env.CLAWA_SEARCH_TIMEOUT_MS);
const CALL_MS = ASKED_MS > 0 ? Math.min(ASKED_MS, MAX_MS) : 30_000;
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;
/** The text that each answer must hold. */
const SAYS = { hello: "warning", hydrate: "text", call: "text", memory_pass: "prompt" } as const;
const NO_ANSWER = "clawa-search: the bridge gave an answer that is none";
const SET_UP = "run `clawa-search setup pi` again, then /reload";
const START_MS = Math.min(CALL_MS, 5_000);

type Content = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };
type Payload = { sha: string; content: string | Content[] };
type Hydrated = { text: string; sha: string; image: { data: string; mimeType: string } | null; warnings: string[] };
type PassAnswer = { due: boolean; cycle: number; threshold: number; prompt: string };
type ToolAnswer = { text: string; details: unknown };
type Method = keyof typeof SAYS;
type Answer = Record<string, unknown> | null;
type Reply = { id: number; ok: boolean; result?: unknown; error?: { message: string; hint?: string } };
type Waiting = { resolve: (result: unknown) => void; reject: (error: Error) => void };
type Message = ContextEvent["messages"][number];
type Kind = "string" | "integer" | "boolean" | "array";
type Declared = {
  name: string;
  label: string;
  description: string;
  promptSnippet: string;
  promptGuidelines: string[];
  parameters: { properties: Record<string, { type: Kind; enum?: string[] }>; required?: string[] };
};

/** Pi does not start with two tools of one name: of several copies of this file the first one serves. */
const SERVING = Symbol.for("clawa-search.serving");
const everywhere = globalThis as { [SERVING]?: string };
const ME = fileURLToPath(import.meta.url);

/** How to start the bridge: environment, what `clawa-search setup pi` wrote, a checkout's own venv, PATH. */
function command(): string[] {
  if (process.env.CLAWA_SEARCH_CMD) return words("CLAWA_SEARCH_CMD", process.env.CLAWA_SEARCH_CMD);
  const written = join(HERE, "command.json");
  if (existsSync(written)) return words(written, readFileSync(written, "utf8"));
  const python = join(HERE, "../../.venv/bin/python");
  // -P: Pi stands in the user's project, whose json.py must not become ours.
  if (existsSync(python)) return [python, "-P", "-m", "clawa_search", "bridge"];
  return ["clawa-search", "bridge"];
}

/** Read a command as JSON. */
function words(place: string, text: string): string[] {
  try {
    const found: unknown = JSON.parse(text);
    if (Array.isArray(found) && found[0] && found.every((one) => typeof one === "string")) return found;
  } catch {
    // told below
  }
  throw new Error(`${place}: is no command; run \`clawa-search setup pi\`, then /reload`);
}

/** One Python process; requests and answers in order. */
class Child {
  readonly waiting = new Map<number, Waiting>();
  /** Sent and not answered, abandoned ones included. */
  readonly open = new Set<number>();
  dead = false;
  private rest = Buffer.alloc(0);
  private complaint = "";
  private readonly process: ChildProcess;

  constructor([file = "", ...args]: string[]) {
    this.process = spawn(file, args, { cwd: HERE, stdio: ["pipe", "pipe", "pipe"] });
    // First of all: without descriptors left there are no pipes, and an error that nobody hears ends Pi.
    this.process.on("error", (error) => this.gone(`cannot start ${file}: ${error.message}`, SET_UP));
    this.process.on("exit", (code, signal) => this.gone(`the bridge ended (${code ?? signal})`, code ? SET_UP : ""));
    this.process.stdout?.on("data", (part: Buffer) => this.read(part));
    this.process.stderr?.on("data", (part: Buffer) => {
      this.complaint = (this.complaint + part).slice(-2_000);
    });
    this.process.stdin?.on("error", () => {});
  }

  private read(part: Buffer) {
    this.rest = Buffer.concat([this.rest, part]);
    for (let end = this.rest.indexOf(10); end >= 0; end = this.rest.indexOf(10)) {
      const line = this.rest.subarray(0, end).toString("utf8");
      this.rest = this.rest.subarray(end + 1);
      this.settle(line);
    }
  }

  private settle(line: string) {
    let reply: Reply | null;
    try {
      reply = JSON.parse(line);
    } catch {
      return; // not a reply
    }
    if (typeof reply !== "object" || reply === null) return;
    this.open.delete(reply.id);
    const waiting = this.waiting.get(reply.id);
    if (reply.ok) waiting?.resolve(reply.result);
    else waiting?.reject(new Error([reply.error?.message ?? "an answer that is none", reply.error?.hint].filter(Boolean).join("; ")));
  }

  private gone(why: string, remedy: string) {
    this.dead = true;
    this.open.clear();
    const said = this.complaint.trim().split("\n").at(-1) ?? "";
    for (const one of [...this.waiting.values()]) one.reject(new Error([[why, said].filter(Boolean).join(": "), remedy].filter(Boolean).join("; ")));
  }

  send(id: number, line: string, wanted: boolean) {
    if (wanted) this.open.add(id);
    this.process.stdin?.write(line);
  }

  /** An idle child ends with its input; a busy one would not notice, and must not outlive Pi. Pi waits for neither. */
  stop() {
    this.dead = true;
    if (this.open.size > 0) this.process.kill("SIGKILL"); // one that was stopped takes no other; nothing it writes is lost
    this.process.stdin?.end();
    this.process.stdout?.destroy();
    this.process.stderr?.destroy();
    this.process.unref();
  }
}

function request(id: number, method: string, params: object): string {
  return `${JSON.stringify({ id, method, params })}\n`;
}

class Bridge {
  private child?: Child;
  private next = 1;

  call(method: string, params: object, signal?: AbortSignal, limitMs = CALL_MS): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new Error("clawa-search: aborted"));
      const id = this.next++;
      const line = request(id, method, params);
      if (Buffer.byteLength(line) > MAX_REQUEST_BYTES) {
        return reject(new Error(`clawa-search: a request may have ${MAX_REQUEST_BYTES} bytes`));
      }
      let child: Child;
      try {
        child = this.ready();
      } catch (error) {
        return reject(new Error(`clawa-search: ${(error as Error).message}`));
      }
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
        child.waiting.delete(id);
      };
      const fail = (why: string) => {
        end();
        reject(new Error(`clawa-search: ${why}`));
      };
      const abort = () => fail("aborted");
      const timer = setTimeout(() => {
        fail(`no answer in ${limitMs} ms; if much is not indexed yet, \`clawa-search reindex\` does it at leisure`);
        child.stop();
      }, limitMs);
      signal?.addEventListener("abort", abort, { once: true });
      child.waiting.set(id, {
        resolve: (result) => {
          end();
          resolve(result);
        },
        reject: (error) => fail(error.message),
      });
      child.send(id, line, true);
    });
  }

  /** Say something that needs no answer; does not start a child. */
  tell(method: string, params: object) {
    const id = this.next++;
    if (this.child && !this.child.dead) this.child.send(id, request(id, method, params), false);
  }

  stop() {
    this.child?.stop();
    this.child = undefined;
  }

  private ready(): Child {
    // Never queue behind an abandoned call: it may be the one that hangs.
    if (this.child && !this.child.dead && this.child.open.size > this.child.waiting.size) this.stop();
    if (!this.child || this.child.dead) this.child = new Child(command());
    return this.child;
  }
}

export default function (pi: ExtensionAPI) {
  const other = everywhere[SERVING];
  if (other && other !== ME && existsSync(other)) {
    pi.on("session_start", (_event, ctx) => {
      if (ctx.hasUI) ctx.ui.notify(`clawa-search: ${other} serves already; take ${ME} out`, "warning");
    });
    return;
  }
  everywhere[SERVING] = ME;
  const bridge = new Bridge();
  let payload: Payload | null | undefined; // null: this home has none; undefined: not known
  let unpersisted = false;
  let passed = -1; // the cycle whose pass was sent from here
  let told = false;
  let closed = false;
  let blind = false;

  const where = (ctx: ExtensionContext) => ({
    cwd: ctx.cwd,
    sessionFile: ctx.sessionManager.getSessionFile(),
    sessionDir: ctx.sessionManager.getSessionDir(),
    sessionId: ctx.sessionManager.getSessionId(),
    leafId: ctx.sessionManager.getLeafId(),
  });

  const notify = (ctx: ExtensionContext, text: string) => {
    if (ctx.hasUI) ctx.ui.notify(text, "warning");
  };

  /** Call the bridge; the human hears of an outage once, and again only after it was over. */
  async function ask<T>(ctx: ExtensionContext, method: Method, more: object, signal?: AbortSignal, limitMs?: number) {
    try {
      const result = await bridge.call(method, { ...where(ctx), ...more }, signal, limitMs);
      if (typeof (result as Answer)?.[SAYS[method]] !== "string") throw new Error(NO_ANSWER);
      told = false;
      return result as T;
    } catch (error) {
      if (!told && !signal?.aborted && method !== "call") {
        told = true;
        notify(ctx, (error as Error).message);
      }
      throw error;
    }
  }

  async function load(ctx: ExtensionContext) {
    try {
      const made = await ask<Hydrated>(ctx, "hydrate", {}, undefined, START_MS);
      const text: Content = { type: "text", text: made.text };
      const content = made.image ? [text, { type: "image" as const, ...made.image }] : made.text;
      payload = made.text ? { sha: made.sha, content } : null;
      return made.warnings ?? [];
    } catch {
      return []; // the human was told; what was loaded before stays valid
    }
  }

  async function greet(ctx: ExtensionContext) {
    const read = (name: string) => readFileSync(join(HERE, name));
    const mark = createHash("sha256");
    for (const name of ["clawa.ts", "tools.json"]) mark.update(read(name)).update("\0");
    const stamp = mark.digest("hex").slice(0, 16);
    try {
      const hello = await ask<{ warning: string }>(ctx, "hello", { protocol: PROTOCOL, stamp }, undefined, START_MS);
      if (hello.warning) notify(ctx, hello.warning);
    } catch {
      // told
    }
  }

  const activeSha = (ctx: ExtensionContext) => {
    const entries = ctx.sessionManager.buildContextEntries();
    const last = entries.filter((one) => one.type === "custom_message" && one.customType === HYDRATION).at(-1);
    return last?.type === "custom_message" ? shaOf(last) : undefined;
  };

  /** Put the hydration into the branch, without a turn, unless the same one is still there. */
  function persist(ctx: ExtensionContext) {
    unpersisted = !ctx.isIdle(); // in mid-run older Pis steer with it, which is one more turn
    if (unpersisted) return;
    if (!payload || activeSha(ctx) === payload.sha) return;
    const { content, sha } = payload;
    pi.sendMessage({ customType: HYDRATION, content, display: false, details: { sha } }, { triggerTurn: false });
  }

  pi.on("session_start", async (_event, ctx) => {
    const [, warnings] = await Promise.all([greet(ctx), load(ctx)]);
    for (const warning of warnings) notify(ctx, `clawa-search: ${warning}`);
    persist(ctx);
  });

  pi.on("session_compact", async (event, ctx) => {
    await load(ctx);
    // In mid-run a message would be held back until the turn ends, or start one more turn.
    if (event.reason === "manual") persist(ctx);
    else unpersisted = true;
  });

  /** Another branch: it may lack the hydration, and the pass. */
  pi.on("session_tree", (_event, ctx) => {
    passed = -1;
    persist(ctx);
  });

  /** Let no request go out without the hydration, with two of them, or with a stale one. */
  pi.on("context", (event, ctx) => {
    const ours = event.messages.filter(isHydration);
    const current = ours.filter((one) => payload === undefined || (payload && shaOf(one) === payload.sha)).at(-1);
    const shown = current ?? (payload ? made(payload) : undefined);
    if (!closed) blind = !ctx.model?.input.includes("image"); // a replaced session has no context any more
    if (shown === current && ours.length === (shown ? 1 : 0) && !(blind && shown && hasImage(shown))) return undefined;
    const messages = event.messages.filter((one) => one === current || !isHydration(one));
    if (shown && !current) messages.unshift(shown);
    return { messages: messages.map((one) => (one === shown && blind ? withoutImage(one) : one)) };
  });

  pi.on("agent_end", async (event, ctx) => {
    if (closed) return; // the session was replaced in mid-run, and its context with it
    const usage = ctx.getContextUsage();
    if (!ctx.hasUI || !usage || usage.tokens == null) return;
    const branch = ctx.sessionManager.getBranch();
    const cycle = cycleOf(ctx);
    const done = branch.flatMap((one) =>
      one.type === "custom_message" && one.customType === PASS ? [(one.details as { cycle?: number })?.cycle ?? 0] : [],
    );
    if (passed === cycle || done.includes(cycle) || !pi.getActiveTools().includes("remember")) return;
    // What a pass itself, and the compaction after it, add to the context is no reason for another.
    const passes = branch.map((one) => one.type === "custom_message" && one.customType === PASS);
    const since = branch.slice(passes.lastIndexOf(true) + 1);
    if (!since.some(isReason)) return;
    const last = event.messages.at(-1) as { stopReason?: string } | undefined;
    const compaction = pi.getSettings?.().compaction;
    const asked = {
      tokens: usage.tokens,
      window: usage.contextWindow,
      reserve: compaction?.enabled === false ? 0 : (reserveOf(compaction, ctx) ?? compaction?.reserveTokens),
      cycle,
      done,
      stopReason: last?.stopReason ?? "stop",
      hasUI: ctx.hasUI,
    };
    const answer = await ask<PassAnswer>(ctx, "memory_pass", asked, undefined, START_MS).catch(() => undefined);
    // While Python was asked. What the human queued has a turn of its own; the end of that decides anew.
    if (closed || !answer?.due || ctx.signal?.aborted || ctx.hasPendingMessages() || cycleOf(ctx) !== cycle) return;
    passed = cycle;
    pi.sendMessage(
      { customType: PASS, content: answer.prompt, display: false, details: { ...asked, threshold: answer.threshold } },
      { triggerTurn: true, deliverAs: "followUp" },
    );
  });

  pi.on("agent_settled", async (_event, ctx) => {
    if (closed) return;
    if (payload === undefined && !told) {
      await load(ctx); // the bridge was down when the session began
      if (closed) return;
      unpersisted = true;
    }
    // Where nobody looks on, Pi prints the last message: it must be the answer. The next process persists.
    if (unpersisted && ctx.hasUI) persist(ctx);
    bridge.tell("settled", where(ctx));
  });

  pi.on("session_shutdown", async (_event, ctx) => {
    closed = true;
    bridge.tell("settled", where(ctx));
    bridge.stop();
    delete everywhere[SERVING];
  });

  for (const tool of JSON.parse(readFileSync(join(HERE, "tools.json"), "utf8")) as Declared[]) {
    pi.registerTool({
      ...tool,
      prepareArguments: (args: unknown) => asGiven(tool, args),
      async execute(_id, args, signal, _onUpdate, ctx) {
        const answer = await ask<ToolAnswer>(ctx, "call", { tool: tool.name, args }, signal); // a throw is an error result
        return { content: [{ type: "text", text: answer.text }], details: answer.details };
      },
    });
  }
}

const FITS: Record<Kind, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  integer: (value) => Number.isInteger(value) || (typeof value === "string" && /^-?\d+$/.test(value)),
  boolean: (value) => typeof value === "boolean" || value === "true" || value === "false",
  array: () => true, // its words are looked at by the bridge
};

/** Pi makes a text of null and 1 of true, which would overwrite a memory: what does not fit is an error instead. */
function asGiven(tool: Declared, args: unknown) {
  const { properties, required = [] } = tool.parameters;
  const given: Record<string, NonNullable<unknown>> = {};
  for (const [name, value] of Object.entries(args ?? {})) {
    const isEmpty = value === null || (value === "" && properties[name]?.enum !== undefined);
    if (isEmpty && !required.includes(name)) continue; // left out
    const kind = properties[name]?.type;
    if (kind && !FITS[kind](value)) throw new Error(`${name}: must be of type ${kind}`);
    given[name] = value as NonNullable<unknown>;
  }
  return given;
}

/** Did a human or another program say this? What we add ourselves is no reason for a pass. */
function isReason(one: SessionEntry): boolean {
  if (one.type === "custom_message") return one.customType !== HYDRATION && one.customType !== PASS;
  return one.type === "message" && one.message.role === "user";
}

/** How often the current branch was compacted. */
function cycleOf(ctx: ExtensionContext): number {
  return ctx.sessionManager.getBranch().filter((one) => one.type === "compaction").length;
}

/** What the settings reserve for the current model alone. */
function reserveOf(compaction: object | undefined, ctx: ExtensionContext): number | undefined {
  type Overrides = { modelOverrides?: Record<string, { reserveTokens?: number } | undefined> };
  return (compaction as Overrides | undefined)?.modelOverrides?.[`${ctx.model?.provider}/${ctx.model?.id}`]?.reserveTokens;
}

function isHydration(message: Message): boolean {
  return message.role === "custom" && message.customType === HYDRATION;
}

function shaOf(message: object): string | undefined {
  return (message as { details?: { sha?: string } }).details?.sha;
}

function made({ content, sha }: Payload): Message {
  return { role: "custom", customType: HYDRATION, content, display: false, details: { sha }, timestamp: Date.now() };
}

function hasImage(message: Message): boolean {
  return message.role === "custom" && Array.isArray(message.content) && message.content.some((one) => one.type === "image");
}

function withoutImage(message: Message): Message {
  if (message.role !== "custom" || !Array.isArray(message.content)) return message;
  return { ...message, content: message.content.filter((one) => one.type !== "image") };
}
