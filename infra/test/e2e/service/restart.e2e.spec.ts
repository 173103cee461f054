import { expect } from 'chai';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import type { ApiClient } from '../../support/apiClient.js';
import { startProgram, stop, type RunningService } from '../../support/program.js';

const rounds = 40;

/** What the service has acknowledged: the expected name of each room, null once it is deleted. */
type Ledger = Map<string, { path: string; room: { name: string } | null }>;

describe('restarts', () => {
  it(`lose no acknowledged write, over ${rounds} ends by SIGKILL under write load`, async function () {
    this.timeout(180_000);
    const folder = await temporaryFolder();
    const ledger: Ledger = new Map();
    let service = await startProgram(folder.path, quiet);
    const appId = await newApp(service.project);
    for (let round = 0; round < rounds; round += 1) {
      const writers = Array.from({ length: 8 }, (_, writer) =>
        writeUntilKilled(service.project, appId, `${round}-${writer}`, ledger),
      );
      // The moment of the end differs from round to round: after so many acknowledged writes.
      const target = ledger.size + 5 + ((round * 37) % 60);
      await untilSize(ledger, target, writers);
      await stop(service, 'SIGKILL');
      await Promise.all(writers);
      service = await startProgram(folder.path, quiet);
      await expectLedger(service, appId, ledger);
    }
    expect(ledger.size).to.be.greaterThan(rounds * 5);
    expect((await stop(service)).code).to.equal(0);
    await folder.remove();
  });
});

const quiet = { ROOMWIRE_LOG_LEVEL: 'error', ROOMWIRE_REST_RATE: '0' };

const newApp = async (client: ApiClient): Promise<string> =>
  (await client.post('/apps', { name: 'Ledger', topics: ['a'] })).body.appId;

/** Creates, renames and deletes rooms, and writes down what was answered 2xx. */
const writeUntilKilled = async (
  client: ApiClient,
  appId: string,
  name: string,
  ledger: Ledger,
): Promise<void> => {
  const rooms = `/apps/${appId}/rooms`;
  for (let index = 0; ; index += 1) {
    try {
      const { body } = await client.post(rooms, { name: `${name}-${index}` });
      const path = `${rooms}/${body.roomId}`;
      ledger.set(body.roomId, { path, room: { name: body.name } });
      if (index % 3 === 1) {
        ledger.delete(body.roomId);
        const renamed = await client.patch(path, { name: 'renamed' });
        ledger.set(body.roomId, { path, room: { name: renamed.body.name } });
      }
      if (index % 3 === 2) {
        ledger.delete(body.roomId);
        if ((await client.delete(path)).status === 204) ledger.set(body.roomId, { path, room: null });
      }
    } catch {
      // The service has ended: the outcome of this write is unknown.
      return;
    }
  }
};

const untilSize = async (ledger: Ledger, size: number, writers: readonly Promise<void>[]): Promise<void> => {
  let failed = false;
  void Promise.race(writers).then(() => (failed = true));
  while (ledger.size < size) {
    if (failed) throw new Error('A writer has stopped before the service was killed');
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const expectLedger = async (service: RunningService, appId: string, ledger: Ledger): Promise<void> => {
  const list = (await service.project.get(`/apps/${appId}/rooms`)).body as { roomId: string; name: string }[];
  const listed = new Map(list.map((room) => [room.roomId, room]));
  for (const [roomId, { room }] of ledger)
    expect(listed.get(roomId)?.name ?? null, roomId).to.equal(room?.name ?? null);
  // The list and its items agree; a sample of them is enough, because every item is read in some round.
  for (const room of list.filter((_, index) => index % 17 === 0))
    expect((await service.project.get(`/apps/${appId}/rooms/${room.roomId}`)).body).to.eql(room);
};
