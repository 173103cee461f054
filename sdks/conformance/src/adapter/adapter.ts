import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { type Fields, isFields } from '../scenario/match.js';
import { Conversation } from './conversation.js';
import type { Hello, Listener } from './protocol.js';

export interface AdapterCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** How much of what an adapter complained about is shown. */
const shownOfErrors = 4_000;

/** A running adapter. Several scenarios use it at the same time, each by a conversation of its own. */
export class Adapter {
  readonly hello: Hello;
  private readonly child: ChildProcess;
  private readonly conversations = new Map<string, Conversation>();
  private opened = 0;
  private complaints = '';
  private readonly ended: Promise<unknown>;

  private constructor(child: ChildProcess, hello: Hello, lines: AsyncIterator<string>) {
    this.child = child;
    this.hello = hello;
    this.ended = this.read(lines);
  }

  /** Resolves when the adapter has introduced itself. */
  static async start({ command, args }: AdapterCommand): Promise<Adapter> {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    child.stdin.on('error', () => undefined);
    await once(child, 'spawn');
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const first = await lines.next();
    const line = first.done === true ? '' : first.value;
    const adapter = new Adapter(child, readHello(line, complaints), lines);
    adapter.complaints = complaints;
    child.stderr.on('data', (text: string) => void (adapter.complaints += text));
    return adapter;
  }

  /** The clients of a scenario, told apart from those of others by their names. */
  open(listener: Listener): Conversation {
    const prefix = `${++this.opened}.`;
    const conversation = new Conversation(prefix, listener, (line) => this.write(line));
    this.conversations.set(prefix, conversation);
    return conversation;
  }

  /** What it has said on its standard error, the end of it. */
  get lastComplaints(): string {
    return this.complaints.slice(-shownOfErrors);
  }

  async close(): Promise<void> {
    this.child.stdin?.end();
    await this.ended;
  }

  private write(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  private async read(lines: AsyncIterator<string>): Promise<void> {
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) this.take(line.value);
    for (const conversation of this.conversations.values())
      conversation.lost(`The adapter has ended\n${this.lastComplaints}`);
  }

  private take(text: string): void {
    const line = parsedLine(text);
    const conversation = line && this.conversations.get(prefixOf(line));
    if (conversation !== undefined && line !== undefined) conversation.take(line, text);
    else this.complaints += `A line that belongs to no scenario: ${text.slice(0, 200)}\n`;
  }
}

const parsedLine = (text: string): Fields | undefined => {
  try {
    const line: unknown = JSON.parse(text);
    return isFields(line) ? line : undefined;
  } catch {
    return undefined;
  }
};

/** Requests are numbered `<scenario>.<number>`, clients named `<scenario>.<name>`. */
const prefixOf = ({ id, client }: Fields): string => {
  const named = typeof id === 'string' ? id : typeof client === 'string' ? client : '';
  return named.slice(0, named.indexOf('.') + 1);
};

const readHello = (line: string, complaints: string): Hello => {
  const hello = parsedLine(line)?.['hello'];
  if (!isFields(hello) || typeof hello['language'] !== 'string' || !Array.isArray(hello['supports']))
    throw new Error(`An adapter begins with {"hello": …}, and not with: ${line}\n${complaints}`);
  return { language: hello['language'], supports: hello['supports'].map(String) };
};
