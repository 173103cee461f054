import type { JobNews } from '@roomwire/shared/wire/bus/jobNews';

/** Of one sender to one address. A record that is not stored yet may be passed by so many others. */
const mostMissing = 1_000;
/** Each process sends to a few dozen addresses; of those that are gone the oldest are forgotten. */
const mostSenders = 10_000;

/** Which numbers have come. They come almost in their order. */
class TakenNumbers {
  private highest = 0;
  private readonly missing = new Set<number>();

  isRepeated(number: number): boolean {
    if (number <= this.highest) return !this.missing.delete(number);
    for (let passed = Math.max(this.highest + 1, number - mostMissing); passed < number; passed++)
      this.missing.add(passed);
    this.highest = number;
    for (const oldest of this.missing) {
      if (this.missing.size <= mostMissing) break;
      this.missing.delete(oldest);
    }
    return false;
  }
}

/** Finds records that come a second time, because their sender did not learn that they had been stored, or because the bus stored them twice. */
export class SecondCopies {
  private readonly bySender = new Map<string, TakenNumbers>();

  isOne({ sent, to }: Pick<JobNews, 'sent' | 'to'>): boolean {
    if (sent === undefined) return false;
    const [sender, number] = sent;
    const lane = `${sender} ${to}`;
    const taken = this.bySender.get(lane) ?? new TakenNumbers();
    this.bySender.delete(lane);
    this.bySender.set(lane, taken);
    if (this.bySender.size > mostSenders) this.bySender.delete(this.bySender.keys().next().value as string);
    return taken.isRepeated(number);
  }
}
