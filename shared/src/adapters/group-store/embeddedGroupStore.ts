import type { Database } from 'lmdb';
import { EngineUnavailable } from '../../ports/errors.js';
import type { GroupStore, GroupCheckpoint } from '../../ports/groupStore.js';
import { once } from '../../runtime/service.js';
import { openDurableEnvironment, type DurableEnvironment } from '../lmdb/durableEnvironment.js';

type GroupId = [topic: string, group: string];

/** Checkpoints of worker groups in an LMDB file. */
class EmbeddedGroupStore implements GroupStore {
  private readonly environment: DurableEnvironment;
  private readonly groups: Database<GroupCheckpoint, GroupId>;
  private isOpen = true;

  constructor(file: string) {
    this.environment = openDurableEnvironment(file);
    this.groups = this.environment.root.openDB('groups', { encoding: 'json' });
  }

  /** Of groups that were empty for too long. */
  async removeExpired(now: number): Promise<void> {
    const expired: GroupId[] = [];
    for (const { key, value } of this.groups.getRange()) if (value.expiresAt <= now) expired.push(key);
    if (expired.length === 0) return;
    await this.transact(() => {
      for (const id of expired) void this.groups.remove(id);
    });
  }

  async load(topic: string, group: string): Promise<GroupCheckpoint | undefined> {
    this.assertOpen();
    return this.groups.get([topic, group]);
  }

  async write(group: GroupCheckpoint): Promise<void> {
    this.assertOpen();
    await this.transact(() => void this.groups.put([group.topic, group.group], group));
  }

  async remove(topic: string, group: string): Promise<void> {
    this.assertOpen();
    await this.transact(() => void this.groups.remove([topic, group]));
  }

  readonly close = once(async () => {
    this.isOpen = false;
    await this.environment.close();
  });

  private async transact(work: () => void): Promise<void> {
    try {
      await this.environment.transact(work);
    } catch (cause) {
      throw new EngineUnavailable('worker groups', { cause });
    }
  }

  private assertOpen(): void {
    if (!this.isOpen) throw new EngineUnavailable('worker groups');
  }
}

interface Files {
  file(name: string): string;
}

export const openEmbeddedGroupStore = async (folder: Files, now: number): Promise<GroupStore> => {
  const store = new EmbeddedGroupStore(folder.file('groups.lmdb'));
  await store.removeExpired(now);
  return store;
};
