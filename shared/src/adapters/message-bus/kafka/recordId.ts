import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { IHeaders } from 'kafkajs';

/** Who sent the record, and which of its records it is. */
const header = 'roomwire-id';
const senderBytes = 8;
const numberBytes = 6;

/** Numbers the records of one sender to one topic, in the order in which they are sent. */
export class RecordNumbers {
  readonly #sender = randomBytes(senderBytes);
  #last = 0;

  next(): IHeaders {
    const id = Buffer.allocUnsafe(senderBytes + numberBytes);
    this.#sender.copy(id);
    id.writeUIntBE(++this.#last, senderBytes, numberBytes);
    return { [header]: id };
  }
}

const sendersRemembered = 1_000;

/**
 * Finds second copies in one partition. A batch whose answer was lost is sent again and may be stored twice, but a
 * sender has one batch on its way at a time: in a partition its numbers only rise, and one that does not rise is a
 * copy, or so late that its sender has long been told that it failed.
 */
export class RepeatedRecords {
  readonly #lastOf = new Map<string, number>();

  isRepeated(headers: IHeaders | undefined): boolean {
    const id = headers?.[header];
    // Not sent by this program: nothing to compare.
    if (!Buffer.isBuffer(id) || id.length !== senderBytes + numberBytes) return false;
    const sender = id.toString('latin1', 0, senderBytes);
    const number = id.readUIntBE(senderBytes, numberBytes);
    const last = this.#lastOf.get(sender);
    if (last !== undefined && number <= last) return true;
    if (last === undefined) this.#makeRoom();
    this.#lastOf.set(sender, number);
    return false;
  }

  /** Every process that sends is a sender, for as long as it runs. */
  #makeRoom(): void {
    if (this.#lastOf.size < sendersRemembered) return;
    for (const longestKnown of this.#lastOf.keys()) {
      this.#lastOf.delete(longestKnown);
      return;
    }
  }
}
