import type { CutOff, Impact } from '@roomwire/shared/ports/impact';

/** Actors and addresses that are told apart: beyond it, only their number is known. */
const mostTold = 10_000;

/** Subscriptions that would end, those of an actor to an address together. */
export class FoundCutOffs {
  private readonly found = new Map<string, CutOff>();
  private total = 0;

  add(one: Omit<CutOff, 'connections'>): void {
    this.total += 1;
    const key = JSON.stringify([one.actorTokenId, one.address, one.scope]);
    const known = this.found.get(key);
    if (known === undefined && this.found.size >= mostTold) return;
    this.found.set(key, { ...one, connections: (known?.connections ?? 0) + 1 });
  }

  get impact(): Impact {
    return { total: this.total, cutOff: [...this.found.values()] };
  }
}
