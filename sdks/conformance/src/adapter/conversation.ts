import type { Fields } from '../scenario/match.js';
import { isFields } from '../scenario/match.js';
import type { AdapterEvent, Listener, Outcome } from './protocol.js';

/** What one scenario says to an adapter and hears from it. */
export class Conversation {
  private readonly prefix: string;
  private readonly listener: Listener;
  private readonly write: (line: string) => void;
  private readonly pending = new Map<string, (outcome: Outcome) => void>();
  private asked = 0;
  private end: string | undefined;

  constructor(prefix: string, listener: Listener, write: (line: string) => void) {
    this.prefix = prefix;
    this.listener = listener;
    this.write = write;
  }

  /** Resolves with the reply; with an error as well when the adapter ends before. */
  request(what: string, fields: Fields & { readonly client: string }): Promise<Outcome> {
    if (this.end !== undefined) return Promise.resolve(adapterEnded(this.end));
    const id = `${this.prefix}${++this.asked}`;
    const answer = new Promise<Outcome>((resolve) => this.pending.set(id, resolve));
    this.say({ id, do: what, ...fields, client: `${this.prefix}${fields.client}` });
    return answer;
  }

  /** A line of the adapter. */
  take(line: Fields, text: string): void {
    this.listener.onLine('from', text);
    if (typeof line['id'] === 'string') return this.replied(line['id'], line);
    const client = String(line['client']).slice(this.prefix.length);
    if (line['ask'] !== undefined) void this.answer(line['ask'], client, line['refused']);
    else this.listener.onEvent({ ...line, client } as AdapterEvent);
  }

  /** Nothing more comes. */
  lost(why: string): void {
    this.end = why;
    for (const id of [...this.pending.keys()]) this.settle(id, adapterEnded(why));
  }

  private async answer(ask: unknown, client: string, refused: unknown): Promise<void> {
    try {
      const question = { client, refused: typeof refused === 'string' ? refused : undefined };
      this.say({ answer: ask, ok: await this.listener.onQuestion(question) });
    } catch (error) {
      this.say({ answer: ask, error: error instanceof Error ? error.message : String(error) });
    }
  }

  private replied(id: string, line: Fields): void {
    const error = line['error'];
    this.settle(id, isFields(error) ? { error } : { ok: line['ok'] });
  }

  private settle(id: string, outcome: Outcome): void {
    this.pending.get(id)?.(outcome);
    this.pending.delete(id);
  }

  private say(line: Fields): void {
    const text = JSON.stringify(line);
    this.listener.onLine('to', text);
    this.write(text);
  }
}

const adapterEnded = (message: string): Outcome => ({ error: { error: 'adapter_ended', message } });
