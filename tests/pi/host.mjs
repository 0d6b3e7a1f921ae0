/**
 * A scripted host for clawa.ts: Pi's own session tree, and around it an agent loop that does what a script says, in
 * the order in which Pi 1.6.0 does it. One JSON script a line on stdin, one JSON trace a line on stdout.
 *
 * argv: the session manager's module, the extension, and the command of the real bridge. The bridge runs once for
 * all scripts; each child that the extension starts is a channel to it.
 */
import child_process from "node:child_process";
import { EventEmitter } from "node:events";
import { writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [managerPath, extensionPath, ...command] = process.argv.slice(2);
const real = child_process.spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
const asked = new Map();
let number = 0;
createInterface({ input: real.stdout }).on("line", (line) => {
  const reply = JSON.parse(line);
  const { id, child } = asked.get(reply.id);
  asked.delete(reply.id);
  child.stdout.emit("data", Buffer.from(`${JSON.stringify({ ...reply, id })}\n`));
});

let outage = false;
function fakeSpawn() {
  const child = new EventEmitter();
  const pipe = () => Object.assign(new EventEmitter(), { destroy() {} });
  child.stdout = pipe();
  child.stderr = pipe();
  child.unref = () => {};
  child.kill = () => child.emit("exit", null, "SIGTERM");
  child.stdin = Object.assign(new EventEmitter(), { end: () => child.emit("exit", 0, null) });
  child.stdin.write = (line) => {
    if (outage) return setImmediate(() => child.emit("exit", 3, null));
    const { id, ...request } = JSON.parse(line);
    asked.set(++number, { id, child });
    real.stdin.write(`${JSON.stringify({ ...request, id: number })}\n`);
    return true;
  };
  return child;
}
child_process.spawn = fakeSpawn;
syncBuiltinESMExports();

const { SessionManager } = await import(managerPath);
const { default: extension } = await import(extensionPath);

class Host {
  constructor(home) {
    this.home = home;
    this.manager = SessionManager.inMemory(home);
    this.trace = { requests: [], persisted: 0, wrong: [], passes: [] };
    this.window = 20_000;
    this.images = true;
    this.hasUI = true;
    this.running = false;
    this.version = 0;
    this.loaded = undefined; // the version that the extension was able to read last
    this.edit();
  }

  edit() {
    writeFileSync(join(this.home, "HUMAN.md"), `# Human\nversion ${++this.version};\n`);
  }

  async start(reason) {
    if (this.handlers) await this.emit("session_shutdown", { reason: "quit" });
    this.handlers = new Map();
    this.loaded = outage ? undefined : this.version;
    extension({
      on: (name, handler) => this.handlers.set(name, handler),
      registerTool: () => {},
      getActiveTools: () => (this.blunt ? ["read"] : ["read", "remember", "recall"]),
      getSettings: () => ({
        compaction: { reserveTokens: 1_000, modelOverrides: { "stub/eager": { reserveTokens: 10_000 } } },
      }),
      sendMessage: (message, options) => this.send(message, options),
    });
    await this.emit("session_start", { reason });
  }

  get context() {
    const host = this;
    return {
      cwd: this.home,
      sessionManager: this.manager,
      hasUI: this.hasUI,
      ui: { notify() {} },
      model: { provider: "stub", id: this.eager ? "eager" : "m", input: this.images ? ["text", "image"] : ["text"] },
      get signal() {
        return host.signal;
      },
      isIdle: () => !host.running,
      hasPendingMessages: () => host.race === "follow-up",
      getContextUsage: () => ({ tokens: this.tokens ?? null, contextWindow: this.window }),
    };
  }

  emit(name, event) {
    return this.handlers.get(name)?.({ type: name, ...event }, this.context);
  }

  hydrations() {
    return this.manager.buildContextEntries().filter((one) => one.customType === "clawa-hydration");
  }

  send(message, { triggerTurn, deliverAs }) {
    if (message.customType === "clawa-memory-pass") {
      if (!triggerTurn || deliverAs !== "followUp") this.trace.wrong.push("a pass that is no follow-up");
      if (!this.hasUI) this.trace.wrong.push("a pass that nobody sees");
      this.queue.push(message);
      return;
    }
    if (triggerTurn) this.trace.wrong.push("a hydration that starts a turn");
    if (this.running) this.trace.wrong.push("a message in mid-run: held back, or one more turn");
    if (this.hydrations().at(-1)?.details.sha === message.details.sha) this.trace.wrong.push("refreshed in vain");
    this.trace.persisted++;
    this.append(message);
  }

  append({ customType, content, display, details }) {
    this.manager.appendCustomMessageEntry(customType, content, display, details);
  }

  async request(isPass) {
    const before = structuredClone(this.manager.buildSessionContext().messages);
    const { messages = before } = (await this.emit("context", { messages: before })) ?? {};
    const shown = messages.filter((one) => one.role === "custom" && one.customType === "clawa-hydration");
    this.trace.requests.push({
      hydrations: shown.map((one) => Number(/version (\d+);/.exec(JSON.stringify(one.content))[1])),
      expected: this.loaded ?? null,
      inContext: before.filter((one) => one.customType === "clawa-hydration").length,
      isPass,
    });
  }

  answer(tokens, stopReason) {
    this.tokens = tokens;
    const usage = { input: tokens, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: tokens };
    const message = { role: "assistant", content: [{ type: "text", text: "ok" }], stopReason, usage, timestamp: 1 };
    this.manager.appendMessage(message);
    return message;
  }

  async run(first, turns, tokens, stopReason, keep) {
    this.running = true;
    this.queue = [];
    const isPass = first.customType !== undefined;
    if (isPass) this.append(first);
    else this.manager.appendMessage(first);
    let last;
    for (let turn = 1; turn <= turns; turn++) {
      await this.request(isPass);
      last = this.answer(tokens, turn < turns ? "toolUse" : stopReason);
      if (turn < turns && tokens > this.window - 1_000) await this.compact("threshold", keep);
    }
    const ended = this.emit("agent_end", { messages: [last] });
    if (this.race === "compact") await this.compact("manual", keep);
    if (this.race === "abort") this.signal = AbortSignal.abort();
    await ended;
    this.signal = undefined;
    const queue = this.queue;
    if (this.tokens > this.window - 1_000) await this.compact("threshold", keep);
    for (const pass of queue) {
      this.trace.passes.push(pass.details.cycle);
      await this.run(pass, 2, this.stuck ? tokens : Math.min(tokens, this.window / 2), "stop", keep);
    }
    if (!isPass) {
      this.running = false;
      await this.emit("agent_settled", { aborted: stopReason === "aborted" });
    }
  }

  async compact(reason, keep) {
    const branch = this.manager.getBranch();
    const kept = branch[Math.max(0, branch.length - keep)];
    this.manager.appendCompaction("summary", keep > 0 ? kept?.id : undefined, this.tokens ?? 0);
    this.tokens = undefined;
    if (!outage) this.loaded = this.version;
    await this.emit("session_compact", { reason, willRetry: reason === "overflow" });
  }

  async step([what, one = 0, two = 0]) {
    const branch = this.manager.getBranch();
    switch (what) {
      case "prompt":
      case "abort": {
        const tokens = Math.round((this.window * (one % 130)) / 100);
        const user = { role: "user", content: "hello", timestamp: 1 };
        return this.run(user, 1 + (two % 3), tokens, what === "abort" ? "aborted" : "stop", two);
      }
      case "compact":
        return branch.length ? this.compact("manual", one) : undefined;
      case "overflow":
        this.running = true;
        await this.compact("overflow", one);
        this.running = false;
        return this.step(["prompt", two, one]);
      case "fork":
      case "tree":
        if (branch.length === 0) return undefined;
        this.manager.branch(branch[one % branch.length].id);
        this.tokens = undefined;
        return what === "fork" ? this.start("fork") : this.emit("session_tree", {});
      case "resume":
        this.hasUI = two % 3 > 0;
        return this.start("startup");
      case "new":
        this.manager = SessionManager.inMemory(this.home);
        this.tokens = undefined;
        return this.start("new");
      case "model":
        this.window = [20_000, 128_000, 200_000, 1_000_000][one % 4];
        this.images = two % 2 === 0;
        return undefined;
      case "edit":
        return this.edit();
      case "world": // one of: stuck (no compaction makes room), blunt (no tools), eager (a model's own reserve)
        this[one] = !this[one];
        return undefined;
      case "race": // what happens while Python is asked whether a pass is due
        this.race = one;
        return undefined;
      case "outage":
        outage = !outage;
        return undefined;
    }
    throw new Error(`unknown step ${what}`);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { home, steps } = JSON.parse(line);
  outage = false;
  const host = new Host(home);
  await host.start("startup");
  for (const step of steps) await host.step(step);
  outage = false;
  const branch = host.manager.getBranch().filter((one) => one.customType === "clawa-memory-pass");
  host.trace.passesOnBranch = branch.map((one) => one.details.cycle);
  await host.emit("session_shutdown", { reason: "quit" });
  process.stdout.write(`${JSON.stringify(host.trace)}\n`);
}
real.stdin.end();
