import { inLaterTurn } from '@roomwire/shared/runtime/workSlices';
import type { LineMemory } from './lineMemory.js';

/** Somebody to whom a line gives its items, in their order. */
export interface Receiver {
  /** The number of the last item that it was given, or that was there before it; kept by the line. */
  lastGiven: number;
}

interface LineDeps<R extends Receiver, Item> {
  /** Everybody who may have to be given these items. Meanwhile some may leave, and others come. */
  readonly receivers: (items: readonly Item[]) => Iterable<R>;
  /** Returns whether it is for the receiver. */
  readonly give: (receiver: R, item: Item) => boolean;
  readonly sizeOf: (item: Item) => number;
  /** So many items have been given. */
  readonly given: (items: number) => void;
  /** All have been given it. */
  readonly ended: (item: Item) => void;
  readonly projectId: string;
  readonly memory: LineMemory;
  readonly stepsInATurn?: number | undefined;
}

/** Receivers and items that are gone through in one turn of the event loop, which takes about a millisecond. */
const usualSteps = 4_000;

/**
 * Items that very many receivers get, such as the messages of a large room: in slices, so that others have turns of the event loop in
 * between. Who is changed meanwhile is caught up before, so that it gets the same as if all had been given at once; a receiver gets together what
 * has come since its last turn.
 */
export class Line<R extends Receiver, Item> {
  private readonly deps: LineDeps<R, Item>;
  private items: Item[] = [];
  /** Number of the newest item; the first one has 1. */
  private newest = 0;
  /** Goes through all receivers; when it is over, all of them have the items that were there when it began. */
  private round: Iterator<R> | undefined;
  private itemsOfRound = 0;

  constructor(deps: LineDeps<R, Item>) {
    this.deps = deps;
  }

  /** Whether there are items that some have not been given yet. */
  get isBusy(): boolean {
    return this.items.length > 0;
  }

  /** With everybody who is there now. */
  add(item: Item): void {
    const { memory, sizeOf, projectId } = this.deps;
    if (!this.isBusy) inLaterTurn(this.goOn);
    this.items.push(item);
    this.newest += 1;
    if (!memory.take(sizeOf(item), projectId)) this.complete();
  }

  /** A new receiver gets nothing that is here already. */
  join(receiver: R): void {
    receiver.lastGiven = this.newest;
  }

  /** Gives a receiver what waits for it. Must be called before what it gets, or may get, changes. */
  catchUp(receiver: R): void {
    if (this.isBusy) this.tell(this.give(receiver));
  }

  /** Gives everybody everything, however long it takes. */
  private complete(): void {
    while (this.isBusy) this.go(Infinity);
  }

  private readonly goOn = (): void => {
    if (this.isBusy) this.go(this.deps.stepsInATurn ?? usualSteps);
    if (this.isBusy) inLaterTurn(this.goOn);
  };

  private go(steps: number): void {
    this.round ??= this.begin();
    let given = 0;
    for (let done = 0; done < steps; done += 1) {
      const next = this.round.next();
      if (next.done === true) {
        this.endRound();
        break;
      }
      const items = this.give(next.value);
      given += items;
      done += items;
    }
    this.tell(given);
  }

  private begin(): Iterator<R> {
    this.itemsOfRound = this.items.length;
    return this.deps.receivers([...this.items])[Symbol.iterator]();
  }

  private endRound(): void {
    this.round = undefined;
    const { memory, sizeOf, ended } = this.deps;
    for (const item of this.items.splice(0, this.itemsOfRound)) {
      memory.giveBack(sizeOf(item));
      ended(item);
    }
  }

  private give(receiver: R): number {
    const { items, deps } = this;
    const missing = Math.min(this.newest - receiver.lastGiven, items.length);
    receiver.lastGiven = this.newest;
    let given = 0;
    for (let at = items.length - missing; at < items.length; at += 1)
      if (deps.give(receiver, items[at] as Item)) given += 1;
    return given;
  }

  private tell(given: number): void {
    if (given > 0) this.deps.given(given);
  }
}
