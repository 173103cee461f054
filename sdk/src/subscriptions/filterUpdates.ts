import { deferred, type Deferred } from '../deferred.js';
import type { RoomwireError } from '../errors.js';
import type { Filter } from '../protocol/frames.js';

export type Filters = readonly Filter[] | undefined;

interface Update {
  readonly filters: Filters;
  readonly made: Deferred<void>;
}

/** The filters that the server has of a topic, and those who wait for it to have others. */
export class FilterUpdates {
  /** As they went with the last request, answered or not. */
  sent: Filters;
  private confirmed: Filters;
  private waiting: Update[] = [];

  add(filters: Filters): Promise<void> {
    const made = deferred<void>();
    this.waiting.push({ filters, made });
    return made.promise;
  }

  /** The server has what was wanted last; what was wanted before that has been replaced. */
  settle(): void {
    this.confirmed = this.sent;
    for (const { made } of this.waiting.splice(0)) made.resolve();
  }

  /** The server keeps the filters that it had, which are given back. */
  refused(error: RoomwireError): Filters {
    const refused = this.waiting.filter(({ filters }) => filters === this.sent);
    this.waiting = this.waiting.filter(({ filters }) => filters !== this.sent);
    this.sent = this.confirmed;
    for (const { made } of refused) made.reject(error);
    return this.confirmed;
  }

  rejectAll(error: RoomwireError): void {
    for (const { made } of this.waiting.splice(0)) made.reject(error);
  }
}
