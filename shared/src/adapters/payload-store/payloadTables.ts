import type { Buffer } from 'node:buffer';
import type { Database } from 'lmdb';
import type { NewPayload } from '../../ports/payloadStore.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';
import { FollowProgress } from '../lmdb/followProgress.js';

/** All that is known of a payload but its content. */
interface Entry {
  readonly projectId: string;
  readonly owners: readonly string[];
  readonly bytes: number;
  readonly storedAt: number;
  /** Orders those of one millisecond. */
  readonly sequence: number;
}

type Age = [storedAt: number, sequence: number];
type ProjectAge = [projectId: string, storedAt: number, sequence: number];

/** Sorts behind every number and text. */
const afterAll = new Uint8Array([0xff]) as unknown as number;

/**
 * Payloads in an LMDB environment, in order of age and by owner, with the size of each project. Everything that writes must run
 * within a transaction of the environment.
 */
export class PayloadTables {
  readonly environment: DurableEnvironment;
  readonly progress: FollowProgress;
  private readonly contents: Database<Buffer, string>;
  private readonly entries: Database<Entry, string>;
  private readonly ages: Database<string, Age>;
  private readonly projectAges: Database<string, ProjectAge>;
  private readonly owned: Database<string, [owner: string, id: string]>;
  private readonly sizes: Database<number, string>;
  private readonly state: Database<string | number, 'sequence' | 'checkpoint' | 'origin'>;

  constructor(path: string) {
    this.environment = openDurableEnvironment(path);
    const { root } = this.environment;
    this.contents = root.openDB('contents', { encoding: 'binary' });
    this.entries = root.openDB('entries', { encoding: 'json' });
    this.ages = root.openDB('ages', { encoding: 'string' });
    this.projectAges = root.openDB('projectAges', { encoding: 'string' });
    this.owned = root.openDB('owned', { encoding: 'string' });
    this.sizes = root.openDB('sizes', { encoding: 'ordered-binary' });
    this.state = root.openDB('state', { encoding: 'ordered-binary' });
    this.progress = new FollowProgress(this.state);
  }

  has(id: string): boolean {
    return this.entries.get(id) !== undefined;
  }

  contentSince(id: string, oldest: number): Buffer | undefined {
    const entry = this.entries.get(id);
    return entry === undefined || entry.storedAt <= oldest ? undefined : this.contents.get(id);
  }

  sizeOf(projectId: string): number {
    return this.sizes.get(projectId) ?? 0;
  }

  /** The projects that hold more than so much. */
  projectsAbove(bytes: number): readonly string[] {
    const found: string[] = [];
    for (const { key, value } of this.sizes.getRange()) if (value > bytes) found.push(key);
    return found;
  }

  idsOf(owner: string, limit: number): readonly string[] {
    const range = { start: [owner, ''], end: [owner, afterAll] } as unknown as { start: [string, string] };
    return [...this.owned.getKeys({ ...range, limit })].map(([, id]) => id);
  }

  idsUntil(time: number, limit: number): readonly string[] {
    const range = { start: [0, 0] as Age, end: [time, afterAll] as Age };
    return [...this.ages.getRange({ ...range, limit })].map(({ value }) => value);
  }

  oldestOf(projectId: string, limit: number): readonly string[] {
    const range = { start: [projectId, 0, 0] as ProjectAge, end: [projectId, afterAll, 0] as ProjectAge };
    return [...this.projectAges.getRange({ ...range, limit })].map(({ value }) => value);
  }

  add({ id, projectId, owners, content }: NewPayload, storedAt: number): void {
    const sequence = ((this.state.get('sequence') as number | undefined) ?? 0) + 1;
    const entry: Entry = {
      ...{ projectId, bytes: content.length, storedAt, sequence },
      owners: [...new Set([...owners, projectId, id])],
    };
    this.state.putSync('sequence', sequence);
    this.entries.putSync(id, entry);
    this.contents.putSync(id, content as Buffer);
    this.ages.putSync([storedAt, sequence], id);
    this.projectAges.putSync([projectId, storedAt, sequence], id);
    for (const owner of entry.owners) this.owned.putSync([owner, id], '');
    this.sizes.putSync(projectId, this.sizeOf(projectId) + content.length);
  }

  /** Whether there was such a payload. */
  remove(id: string): boolean {
    const entry = this.entries.get(id);
    if (entry === undefined) return false;
    const { projectId, owners, bytes, storedAt, sequence } = entry;
    this.entries.removeSync(id);
    this.contents.removeSync(id);
    this.ages.removeSync([storedAt, sequence]);
    this.projectAges.removeSync([projectId, storedAt, sequence]);
    for (const owner of owners) this.owned.removeSync([owner, id]);
    const left = this.sizeOf(projectId) - bytes;
    if (left > 0) this.sizes.putSync(projectId, left);
    else this.sizes.removeSync(projectId);
    return true;
  }
}
