import {
  decideClaim,
  sentNow,
  type ClaimRules,
  type KeptClaim,
} from '@roomwire/shared/adapters/publish-ids/decideClaim';
import type {
  ClaimOutcome,
  PublishClaim,
  PublishIds,
  SentClaim,
  SettledClaim,
} from '@roomwire/shared/ports/publishIds';
import { LeasedShards } from '@roomwire/shared/adapters/shard-leases/leasedShards';
import type { GroupCheckpoint, GroupStore } from '@roomwire/shared/ports/groupStore';
import type { MessageStore, RecordedMessage, Replay, ReplayRange } from '@roomwire/shared/ports/messageStore';
import type {
  SessionStore,
  SessionsWritten,
  SessionWrite,
  StoredSession,
} from '@roomwire/shared/ports/sessionStore';
import type { Logger } from '@roomwire/shared/ports/logger';
import type { ScheduleStore } from '@roomwire/shared/ports/scheduleStore';
import type { ShardLeases } from '@roomwire/shared/ports/shardLeases';
import type { ConnectionCount, LastUse, MessageCount, UsageStore } from '@roomwire/shared/ports/usageStore';
import { formerWriters } from '@roomwire/shared/ports/usageStore';
import type { LiveMessage } from '@roomwire/shared/wire/bus/liveMessage';
import { leaseTableOn, MemoryLeases } from '@roomwire/testing/fakes/memoryLeaseTable';
import { MemorySchedules, schedulesOn } from '@roomwire/testing/fakes/memorySchedules';
import type { SimulatedProcess } from '../cluster/simulatedProcess.js';
import type { Network } from './network.js';

/** What the stores beside the read models hold; it survives every process. */
export class SimulatedStores {
  readonly sessions = new Map<string, StoredSession>();
  readonly groups = new Map<string, GroupCheckpoint>();
  readonly messages = new Map<string, RecordedMessage[]>();
  readonly lastUses = new Map<string, string>();
  /** By project and month, then by writer. */
  readonly usage = new Map<string, Map<string, number>>();
  readonly connections = new Map<string, ConnectionCount>();
  readonly publishIds = new Map<string, KeptClaim>();
  readonly leases = new MemoryLeases();
  readonly schedules = new MemorySchedules();
  /** Ids of messages that were told to be sent, and are not known as that. */
  readonly unsettled = new Set<string>();
}

const sessionKey = (actorTokenId: string, instance: string): string => `${actorTokenId} ${instance}`;

export const sessionsPort = (
  process: SimulatedProcess,
  network: Network,
  stores: SimulatedStores,
): SessionStore => {
  const call = <T>(act: () => T): Promise<T> => network.call(process, 'views', 'sessions', act);
  const { sessions } = stores;
  const put = ({ session, takesOver }: SessionWrite): boolean => {
    const key = sessionKey(session.actorTokenId, session.instance);
    if (!takesOver && sessions.get(key)?.keeper !== session.keeper) return false;
    sessions.set(key, session);
    return true;
  };
  return {
    load: (actorTokenId, instance) => call(() => sessions.get(sessionKey(actorTokenId, instance))),
    write: (batch) => call((): SessionsWritten => ({ written: batch.map(put), forgotten: [] })),
    forget: (actorTokenId) =>
      call(() => {
        for (const [key, session] of sessions)
          if (session.actorTokenId === actorTokenId) sessions.delete(key);
      }),
    close: async () => undefined,
  };
};

export const groupsPort = (
  process: SimulatedProcess,
  network: Network,
  stores: SimulatedStores,
): GroupStore => {
  const call = <T>(act: () => T): Promise<T> => network.call(process, 'views', 'worker groups', act);
  const key = (topic: string, group: string): string => `${topic} ${group}`;
  return {
    load: (topic, group) => call(() => stores.groups.get(key(topic, group))),
    write: (group) => call(() => void stores.groups.set(key(group.topic, group.group), group)),
    remove: (topic, group) => call(() => void stores.groups.delete(key(topic, group))),
    close: async () => undefined,
  };
};

const claimRules: ClaimRules = { windowMs: 600_000, takeOverMs: 20_000, owner: undefined };

export const publishIdsPort = (
  process: SimulatedProcess,
  network: Network,
  { publishIds, unsettled }: SimulatedStores,
): PublishIds => {
  const call = <T>(act: () => T): Promise<T> => network.call(process, 'views', 'publish ids', act);
  const decide = (claim: PublishClaim): ClaimOutcome => {
    const { outcome, keep } = decideClaim(claim, publishIds.get(claim.key), process.clock.now(), claimRules);
    if (keep !== undefined) publishIds.set(claim.key, keep);
    return outcome;
  };
  const settle = (claims: readonly SentClaim[], state: 'sent' | 'free' | 'givenUp'): Promise<void> =>
    call(() => {
      for (const claim of claims) {
        const { key, messageId } = claim;
        const kept = publishIds.get(key);
        if (kept?.messageId !== messageId || kept.state === 'sent') continue;
        if (state === 'free' && !kept.isRepeated) publishIds.delete(key);
        else publishIds.set(key, { ...kept, ...(state === 'sent' ? sentNow(claim) : { state: 'givenUp' }) });
      }
    });
  const isKnownAsSent = ({ key, messageId }: SettledClaim): boolean => {
    const kept = publishIds.get(key);
    return kept?.messageId === messageId && kept.state === 'sent';
  };
  return {
    claim: (claims) => call(() => claims.map(decide)),
    sent: (claims) =>
      settle(claims, 'sent').finally(() => {
        for (const claim of claims) if (!isKnownAsSent(claim)) unsettled.add(claim.messageId);
      }),
    free: (claims) => settle(claims, 'free'),
    giveUp: (claims) => settle(claims, 'givenUp'),
  };
};

export const shardLeasesPort = (
  process: SimulatedProcess,
  network: Network,
  { leases }: SimulatedStores,
  logger: Logger,
): ShardLeases => {
  const { clock, random } = process;
  const table = leaseTableOn(leases, (act) => network.call(process, 'views', 'shard leases', act));
  return new LeasedShards({ table, clock, random, logger });
};

export const schedulesPort = (
  process: SimulatedProcess,
  network: Network,
  { schedules }: SimulatedStores,
): ScheduleStore => schedulesOn(schedules, (act) => network.call(process, 'views', 'schedules', act));

const pageSize = 100;

/** Appends of a process to a topic are stored in the order in which they were called. */
export const messagesPort = (
  process: SimulatedProcess,
  network: Network,
  stores: SimulatedStores,
): MessageStore => {
  const call = <T>(act: () => T): Promise<T> => network.call(process, 'bus', 'message store', act);
  const last = new Map<string, Promise<void>>();
  const store = (message: LiveMessage, recordedAt: number): void => {
    const recorded = stores.messages.get(message.topic) ?? [];
    stores.messages.set(message.topic, recorded);
    recorded.push({ message, recordedAt });
  };
  return {
    append: (message) => {
      const recordedAt = process.clock.now();
      const before = last.get(message.topic) ?? Promise.resolve();
      const appended = before.catch(() => undefined).then(() => call(() => store(message, recordedAt)));
      last.set(message.topic, appended);
      return appended;
    },
    replay: (topic: string, { sinceMs, limit }: ReplayRange): Promise<Replay> =>
      call(() => {
        const recorded = (stores.messages.get(topic) ?? []).filter(({ recordedAt }) => recordedAt >= sinceMs);
        return { count: Math.min(limit, recorded.length), pages: pagesOf(recorded.slice(-limit)) };
      }),
    close: async () => undefined,
  };
};

async function* pagesOf(messages: readonly RecordedMessage[]): AsyncIterable<readonly RecordedMessage[]> {
  for (let from = 0; from < messages.length; from += pageSize) yield messages.slice(from, from + pageSize);
}

export const usagePort = (
  process: SimulatedProcess,
  network: Network,
  stores: SimulatedStores,
): UsageStore => {
  const call = <T>(act: () => T): Promise<T> => network.call(process, 'views', 'read models', act);
  const countsOf = ({ projectId, month }: Pick<MessageCount, 'projectId' | 'month'>): Map<string, number> => {
    const key = `${projectId} ${month}`;
    const counts = stores.usage.get(key) ?? new Map<string, number>();
    stores.usage.set(key, counts);
    return counts;
  };
  const noteUse = ({ id, at }: LastUse): void => {
    if ((stores.lastUses.get(id) ?? '') < at) stores.lastUses.set(id, at);
  };
  const merge = (writer: string, count: MessageCount): void => {
    const counts = countsOf(count);
    if (counts.get(writer) !== count.messages) return;
    counts.delete(writer);
    counts.set(formerWriters, (counts.get(formerWriters) ?? 0) + count.messages);
  };
  const sumOf = (counts: Map<string, number>): number => [...counts.values()].reduce((sum, n) => sum + n, 0);
  return {
    noteUses: (uses) => call(() => uses.forEach(noteUse)),
    noteUsage: (writer, counts) =>
      call(() => {
        for (const count of counts) {
          const known = countsOf(count);
          known.set(writer, Math.max(known.get(writer) ?? 0, count.messages));
        }
      }),
    mergeUsage: (writer, counts) => call(() => counts.forEach((count) => merge(writer, count))),
    noteConnections: (count) => call(() => void stores.connections.set(count.gatewayId, count)),
    lastUses: (ids) =>
      call(
        () =>
          new Map(ids.flatMap((id) => [[id, stores.lastUses.get(id) ?? ''] as const]).filter(([, at]) => at)),
      ),
    usage: (projectIds, month) =>
      call(
        () =>
          new Map(
            projectIds
              .map((projectId) => [projectId, sumOf(countsOf({ projectId, month }))] as const)
              .filter(([, messages]) => messages > 0),
          ),
      ),
    usageByWriter: (projectIds, month) =>
      call(
        () =>
          new Map(
            projectIds.map((projectId) => [projectId, new Map(countsOf({ projectId, month }))] as const),
          ),
      ),
    connections: (organizationId, since) =>
      call(() =>
        [...stores.connections.values()]
          .filter(({ at }) => at >= since)
          .reduce((sum, { connections }) => sum + (connections[organizationId] ?? 0), 0),
      ),
  };
};
