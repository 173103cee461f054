import { Buffer } from 'node:buffer';
import type { Database } from 'lmdb';
import {
  ownersOf,
  type HeldSchedules,
  type NewSchedule,
  type ScheduledPublish,
  type ScheduleFilter,
} from '../../ports/scheduleStore.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import { FollowProgress } from '../lmdb/followProgress.js';

/** With how far its delivery is. */
export interface ScheduleEntry {
  readonly publish: ScheduledPublish;
  /** Of the owner that has begun it; 0 while nobody has. */
  readonly term: number;
  readonly messageId: string | null;
}

type DueKey = [deliverAt: number, place: string, scheduledId: string];
/** Those of all topics are under the empty one, too. */
type ListKey = [projectId: string, topic: string, deliverAt: number, place: string, scheduledId: string];

/** Sorts behind every number and text. */
const afterAll = new Uint8Array([0xff]) as unknown as number;

/** Behind every id, which are UUIDs, and every place. */
const afterIds = '~';

const nothingHeld: HeldSchedules = { messages: 0, bytes: 0 };

/** Scheduled publishes in an LMDB environment. Everything that writes must run within a transaction of the environment. */
export class ScheduleTables {
  readonly environment: DurableEnvironment;
  readonly progress: FollowProgress;
  private readonly entries: Database<ScheduleEntry, string>;
  private readonly contents: Database<Buffer, string>;
  private readonly dues: Database<number, DueKey>;
  private readonly lists: Database<string, ListKey>;
  private readonly owned: Database<string, [owner: string, id: string]>;
  private readonly sizes: Database<HeldSchedules, string>;

  constructor(path: string) {
    this.environment = openDurableEnvironment(path);
    const { root } = this.environment;
    this.entries = root.openDB('entries', { encoding: 'json' });
    this.contents = root.openDB('contents', { encoding: 'binary' });
    this.dues = root.openDB('dues', { encoding: 'ordered-binary' });
    this.lists = root.openDB('lists', { encoding: 'string' });
    this.owned = root.openDB('owned', { encoding: 'string' });
    this.sizes = root.openDB('sizes', { encoding: 'json' });
    this.progress = new FollowProgress(root.openDB('state', { encoding: 'string' }));
  }

  get(scheduledId: string): ScheduleEntry | undefined {
    return this.entries.get(scheduledId);
  }

  dataOf(scheduledId: string): Uint8Array {
    return Buffer.from(this.contents.get(scheduledId) ?? []);
  }

  held(projectId: string): HeldSchedules {
    return this.sizes.get(projectId) ?? nothingHeld;
  }

  due(shards: ReadonlySet<number>, until: number, limit: number): readonly ScheduledPublish[] {
    const found: ScheduledPublish[] = [];
    for (const { key, value } of this.dues.getRange({ start: [0, '', ''], end: [until, afterIds, ''] })) {
      const publish = shards.has(value) ? this.get(key[2])?.publish : undefined;
      if (publish !== undefined && found.push(publish) === limit) break;
    }
    return found;
  }

  list(projectId: string, { topic = '', after, limit }: ScheduleFilter): readonly ScheduledPublish[] {
    const start: ListKey =
      after === undefined
        ? [projectId, topic, 0, '', '']
        : [projectId, topic, after.deliverAt, after.place, afterIds];
    const end: ListKey = [projectId, topic, afterAll, '', ''];
    const found: ScheduledPublish[] = [];
    for (const { key } of this.lists.getRange({ start, end })) {
      const entry = this.get(key[4]);
      if (entry?.messageId === null && found.push(entry.publish) === limit) break;
    }
    return found;
  }

  idsOf(owner: string, limit: number): readonly string[] {
    const range = { start: [owner, ''], end: [owner, afterIds] } as { start: [string, string] };
    return [...this.owned.getKeys({ ...range, limit })].map(([, id]) => id);
  }

  add({ publish, data }: NewSchedule): void {
    const { scheduledId, deliverAt, place, shard, projectId, bytes } = publish;
    const known = this.get(scheduledId);
    if (known !== undefined) {
      if (known.messageId !== null || known.publish.place >= place) return;
      this.remove(scheduledId);
    }
    this.entries.putSync(scheduledId, { publish, term: 0, messageId: null });
    this.contents.putSync(scheduledId, data as Buffer);
    this.dues.putSync([deliverAt, place, scheduledId], shard);
    for (const key of listKeysOf(publish)) this.lists.putSync(key, '');
    for (const owner of ownersOf(publish)) this.owned.putSync([owner, scheduledId], '');
    const held = this.held(projectId);
    this.sizes.putSync(projectId, { messages: held.messages + 1, bytes: held.bytes + bytes });
  }

  begin(entry: ScheduleEntry): void {
    this.entries.putSync(entry.publish.scheduledId, entry);
  }

  /** Whether it was there. */
  remove(scheduledId: string): boolean {
    const publish = this.get(scheduledId)?.publish;
    if (publish === undefined) return false;
    const { deliverAt, place, projectId, bytes } = publish;
    this.entries.removeSync(scheduledId);
    this.contents.removeSync(scheduledId);
    this.dues.removeSync([deliverAt, place, scheduledId]);
    for (const key of listKeysOf(publish)) this.lists.removeSync(key);
    for (const owner of ownersOf(publish)) this.owned.removeSync([owner, scheduledId]);
    const held = this.held(projectId);
    if (held.messages <= 1) this.sizes.removeSync(projectId);
    else this.sizes.putSync(projectId, { messages: held.messages - 1, bytes: held.bytes - bytes });
    return true;
  }
}

const listKeysOf = (publish: ScheduledPublish): readonly ListKey[] => {
  const { projectId, topic, deliverAt, place, scheduledId } = publish;
  return ['', topic].map((of): ListKey => [projectId, of, deliverAt, place, scheduledId]);
};
