import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayNews, GatewayReport } from '@roomwire/shared/wire/bus/gatewayNews';
import { accountVersion, encodeAccounted, presenceNews } from '@roomwire/shared/wire/bus/presenceNews';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { MessageBus } from '@roomwire/shared/ports/messageBus';
import type { Announcer, OwnPresence, Place } from './announcer.js';

export interface AccountsDeps {
  readonly gatewayId: string;
  readonly bus: MessageBus;
  readonly logger: Logger;
  readonly announcer: Announcer;
  /** The last report of every live gateway. */
  readonly reports: () => ReadonlyMap<string, GatewayReport>;
  /** Returns whether the bus has stored it. */
  readonly sendNews: (news: GatewayNews) => Promise<boolean>;
}

/** A slice of an account ends with the presence that reaches one of these. */
const slicePresences = 500;
const sliceBytes = 256 * 1024;

/** After each slice, so that messages pass between the accounts of many gateways, and whoever asked keeps up with all of them. */
const pauseMs = 50;

type Slice = readonly OwnPresence[];

/**
 * Accounts of all presences of this gateway, for those that ask. One is sent at a time: whoever asks meanwhile shares the next,
 * and whoever it is sent to need not ask.
 */
export class Accounts {
  private readonly deps: AccountsDeps;
  private asking = new Set<string>();
  private isDueToAll = false;
  /** The gateways to which an account is being sent. */
  private served: ReadonlySet<string> = new Set();
  private isSending = false;
  private made = 0;

  constructor(deps: AccountsDeps) {
    this.deps = deps;
  }

  answer(gatewayId: string): void {
    if (this.served.has(gatewayId)) return;
    this.asking.add(gatewayId);
    void this.send();
  }

  /** For all gateways: nobody knows which of them have a record whose storing failed. */
  answerAll(): void {
    this.isDueToAll = true;
    void this.send();
  }

  private async send(): Promise<void> {
    if (this.isSending) return;
    this.isSending = true;
    while (this.asking.size > 0 || this.isDueToAll) await this.sendNext();
    this.isSending = false;
  }

  private async sendNext(): Promise<void> {
    const all = new Set([...this.asking, ...this.deps.reports().keys()]);
    const isToAll = this.isDueToAll || !this.areReadBy(all);
    this.served = isToAll ? all : this.asking;
    this.asking = new Set();
    this.isDueToAll = false;
    await (isToAll ? this.sendToAll() : this.sendTo([...this.served]));
    this.served = new Set();
  }

  /** Gateways of the previous release announce on the bus nothing of what they read, and have no such field in their reports. */
  private areReadBy(gateways: ReadonlySet<string>): boolean {
    const { bus, reports } = this.deps;
    const all = reports();
    return (
      bus.versionOf(presenceNews) >= accountVersion &&
      [...gateways].every((one) => all.get(one)?.readsAccounts)
    );
  }

  /** The asking gateways ask again for what did not reach the bus. */
  private async sendTo(to: readonly string[]): Promise<void> {
    const { gatewayId, bus, logger, announcer, sendNews } = this.deps;
    const [account, from] = [++this.made, announcer.nextSequence];
    let parts = 0;
    const sendPart = (room: string, presences: Slice): Promise<number> => {
      const part = { account, part: ++parts, from, room, presences: encodeAccounted(presences) };
      return bus.send(presenceNews, { kind: 'account', gatewayId, to, ...part }, 'stored');
    };
    try {
      await this.inSlices((slice) => Promise.all([...byRoom(slice)].map((one) => sendPart(...one))));
      await sendNews({ kind: 'account', gatewayId, to, account, parts, from });
    } catch (error) {
      logger.debug('An account of presences did not reach the bus', { to, error });
    }
  }

  /** As changes, which gateways of earlier versions read as well. */
  private async sendToAll(): Promise<void> {
    const { gatewayId, announcer, sendNews } = this.deps;
    const from = announcer.nextSequence;
    announcer.hasUnstored = false;
    await this.inSlices((slice) => Promise.allSettled(slice.map((one) => announcer.sayAgain(one))));
    const upTo = announcer.nextSequence - 1;
    if (announcer.hasUnstored || !(await sendNews({ kind: 'state', gatewayId, from, upTo })))
      announcer.hasUnstored = true;
  }

  private async inSlices(send: (slice: Slice) => Promise<unknown>): Promise<void> {
    const places: Place[] = [...byRoom(this.deps.announcer.presences.all()).values()].flat();
    while (places.length > 0) {
      // What is sent must be true at that moment: it replaces what others know, and changes of a room follow it in order.
      await send(this.nextSlice(places));
      if (places.length > 0) await pause(pauseMs, undefined, { ref: false });
    }
  }

  /** Takes the places from the list. Their presences may have changed or ended since the account began. */
  private nextSlice(places: Place[]): Slice {
    const slice: OwnPresence[] = [];
    for (let bytes = 0; slice.length < slicePresences && bytes < sliceBytes;) {
      const place = places.pop();
      if (place === undefined) break;
      const presence = this.deps.announcer.presences.at(place);
      if (presence === undefined) continue;
      slice.push(presence);
      bytes += presence.presence.length;
    }
    return slice;
  }
}

const byRoom = (presences: Iterable<OwnPresence>): Map<string, OwnPresence[]> => {
  const rooms = new Map<string, OwnPresence[]>();
  for (const one of presences) {
    const inRoom = rooms.get(one.room);
    if (inRoom === undefined) rooms.set(one.room, [one]);
    else inRoom.push(one);
  }
  return rooms;
};
