import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { readModelsWaitMs } from '@roomwire/command-api/handling/commandHandler';
import { eventually } from '@roomwire/testing/run/eventually';
import type { ApiClient } from './apiClient.js';

export interface ReadingTheirWrites {
  /** Resolves with how many writes there were, all of which were read at once by each of the clients. */
  stop(): Promise<number>;
}

/**
 * Writes, and checks right away what is read. An answer that took as long as one is held back for the read models may have come
 * before they show the write: then the check holds a while later.
 */
export const writeThenRead = async <Written>(
  write: () => Promise<Written>,
  check: (written: Written) => Promise<void>,
): Promise<void> => {
  const askedAt = performance.now();
  const written = await write();
  const mayBeAhead = performance.now() - askedAt >= readModelsWaitMs;
  const holds = (): Promise<boolean> =>
    check(written).then(
      () => true,
      () => false,
    );
  if (mayBeAhead) await eventually(holds, { withinMs: 30_000, what: 'the read models to show a write' });
  else await check(written);
};

/** Writes rooms through one client after the other, without a pause, and reads each through all of them right away. */
export const readTheirWrites = (appId: string, clients: readonly ApiClient[]): ReadingTheirWrites => {
  let isOver = false;
  let writes = 0;
  const names = new Map<string, string>();
  const rooms = `/apps/${appId}/rooms`;
  /** A test that is repeated finds the rooms of its first attempt. */
  const own = randomUUID().slice(0, 8);

  const write = async (client: ApiClient): Promise<string> => {
    const name = `name ${writes}`;
    const [known] = names.keys();
    if (known !== undefined && writes % 3 > 0) {
      expect((await client.patch(`${rooms}/${known}`, { name })).status).to.equal(200);
      names.set(known, name);
      return known;
    }
    const { status, body } = await client.post(rooms, { name, slug: `written-${own}-${writes}` });
    expect(status).to.equal(201);
    names.set(body.roomId, name);
    return body.roomId;
  };
  const isShown = async (roomId: string): Promise<void> => {
    for (const client of clients) {
      const { status, body } = await client.get(`${rooms}/${roomId}`);
      expect([status, body.name], `write ${writes}`).to.eql([200, names.get(roomId)]);
    }
  };
  const work = (async () => {
    for (; !isOver; writes += 1)
      await writeThenRead(() => write(clients[writes % clients.length] as ApiClient), isShown);
    for (const client of clients) {
      const found: { roomId: string; name: string }[] = (await client.get(rooms)).body;
      const shown = new Map(found.map(({ roomId, name }) => [roomId, name]));
      for (const [roomId, name] of names) expect(shown.get(roomId)).to.equal(name);
    }
    return writes;
  })();
  work.catch(() => undefined);

  return {
    stop: () => {
      isOver = true;
      return work;
    },
  };
};
