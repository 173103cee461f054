import type { AdapterEvent } from '../adapter/protocol.js';

type Selects = (event: AdapterEvent) => boolean;

interface Waiting {
  readonly selects: Selects;
  readonly take: (event: AdapterEvent) => void;
}

/** The events of a client that no step has taken yet, in order. */
export class Inbox {
  private events: AdapterEvent[] = [];
  private waiting: Waiting[] = [];

  push(event: AdapterEvent): void {
    const waiting = this.waiting.find(({ selects }) => selects(event));
    if (waiting === undefined) return void this.events.push(event);
    this.waiting = this.waiting.filter((other) => other !== waiting);
    waiting.take(event);
  }

  /** The first event that is selected, which has come or comes within the time; rejects when none does. */
  async take(selects: Selects, withinMs: number, what: string): Promise<AdapterEvent> {
    const index = this.events.findIndex(selects);
    if (index >= 0) return this.events.splice(index, 1)[0] as AdapterEvent;
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        selects,
        take: (event) => {
          clearTimeout(timer);
          resolve(event);
        },
      };
      const timer = setTimeout(() => {
        this.waiting = this.waiting.filter((other) => other !== waiting);
        reject(new Error(`Waited ${withinMs} ms for ${what}`));
      }, withinMs);
      this.waiting.push(waiting);
    });
  }

  /** Those that are left. */
  get rest(): readonly AdapterEvent[] {
    return this.events;
  }
}
