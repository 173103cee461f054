import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { connect } from '@roomwire/sdk';
import { temporaryFolder, type TemporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { runRoomwire, startProgram, stop, type RunningService } from '../../support/program.js';

const quiet = { ROOMWIRE_LOG_LEVEL: 'error' };

interface NewActor {
  readonly accessToken: string;
  readonly name: string;
}

const createActors = async (service: RunningService, ...names: readonly string[]): Promise<NewActor[]> => {
  const created: NewActor[] = [];
  for (const name of names)
    created.push((await service.project.post('/actors', { name, actorType: 'user' })).body);
  return created;
};

const actorNames = async ({ project }: RunningService): Promise<string[]> =>
  ((await project.get('/actors')).body as NewActor[]).map(({ name }) => name).sort();

describe('a data folder whose read models are not of its event log', function () {
  // Each command is a separate process.
  this.timeout(180_000);
  let files: TemporaryFolder;
  before(async () => void (files = await temporaryFolder()));
  after(() => files.remove());

  const folder = (name: string): string => join(files.path, name);
  const copy = (from: string, to: string) => cp(folder(from), folder(to), { recursive: true });
  const give = async (names: readonly string[], from: string, to: string): Promise<void> => {
    for (const name of names) {
      await rm(join(folder(to), `${name}.lmdb-lock`), { force: true });
      await cp(join(folder(from), `${name}.lmdb`), join(folder(to), `${name}.lmdb`));
    }
  };
  /** Starts on the folder, does something, and stops. */
  const used = async <T>(name: string, use: (service: RunningService) => Promise<T>): Promise<T> => {
    const service = await startProgram(folder(name), quiet);
    try {
      return await use(service);
    } finally {
      await stop(service);
    }
  };
  const roomwire = async (name: string, ...args: readonly string[]) => {
    const program = runRoomwire([...args], { ROOMWIRE_DATA_DIR: folder(name), ROOMWIRE_PORT: '0', ...quiet });
    const { code } = await program.ended;
    return { code, stdout: program.stdout(), stderr: program.stderr() };
  };
  const expectDiagnosis = async (name: string, message: string): Promise<void> => {
    const { code, stdout } = await roomwire(name, 'doctor');
    expect(code).to.equal(1);
    for (const made of ['read models', 'audit index'])
      expect(stdout).to.include(
        `error    ${made}: ${message}. Start Roomwire, or restart it: it makes them anew\n`,
      );
  };
  const expectVerified = async (name: string): Promise<void> => {
    expect(await roomwire(name, 'audit', 'verify')).to.include({ code: 0, stderr: '' });
  };

  for (const [which, own, others] of [
    ['a longer', ['Ada', 'Bob', 'Cid', 'Dan'], ['Eve']],
    ['a shorter', ['Ada'], ['Eve', 'Fay', 'Gus', 'Hal']],
  ] as const)
    it(`serves nothing of ${which} log, from which they come`, async () => {
      const [made, here] = [`made from ${which}`, `with ${which}`];
      const strangers = await used(made, (service) => createActors(service, ...own));
      await used(here, (service) => createActors(service, ...others));
      await give(['views', 'audit'], made, here);
      await expectDiagnosis(here, 'made from another event log');
      await used(here, async (service) => {
        expect(await actorNames(service)).to.eql([...others]);
        const token = strangers[0]?.accessToken ?? '';
        const client = connect({ url: service.socketUrl, token });
        const refusal = await client.ready().then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(refusal, 'of an actor that the log does not hold').to.be.instanceOf(Error);
        await client.close();
      });
      await expectVerified(here);
    });

  it('serves nothing that an older backup of the log does not hold, also once that has grown', async () => {
    await used('now', (service) => createActors(service, 'Ada'));
    await copy('now', 'then');
    await used('now', (service) => createActors(service, 'Bob', 'Cid'));
    await copy('now', 'put back');
    await give(['events'], 'then', 'put back');
    await expectDiagnosis('put back', 'made from what the event log no longer holds');
    await used('put back', async (service) => {
      expect(await actorNames(service)).to.eql(['Ada']);
      await createActors(service, 'Dan', 'Eve', 'Fay', 'Gus', 'Hal');
      expect(await actorNames(service)).to.have.length(6);
    });
    await expectVerified('put back');
    await give(['events'], 'put back', 'now');
    await expectDiagnosis('now', 'made from what the event log no longer holds');
    await used('now', async (service) =>
      expect(await actorNames(service)).to.eql(['Ada', 'Dan', 'Eve', 'Fay', 'Gus', 'Hal']),
    );
    await expectVerified('now');
    const { stdout } = await roomwire('now', 'doctor');
    expect(stdout).to.include('ok       read models: ').and.include('ok       audit index: ');
  });
});
