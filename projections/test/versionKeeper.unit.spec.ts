import { expect } from 'chai';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { LeftBehind, LogExtent } from '@roomwire/shared/ports/viewStore';
import type { Service } from '@roomwire/shared/runtime/service';
import { createRecordingLogger, type RecordedLine } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { createVersionKeeper } from '../src/versionKeeper.js';

describe('the keeper of other versions', () => {
  let identity: string | undefined;
  let head: string | undefined;
  let left: readonly LeftBehind[];
  let failure: Error | undefined;
  let tended: LogExtent[];
  let asked: number;
  let lines: readonly RecordedLine[];
  let keeper: Service;

  beforeEach(async () => {
    [identity, head, left, failure, tended, asked] = ['first', '3', [], undefined, [], 0];
    const recording = createRecordingLogger();
    lines = recording.lines;
    keeper = createVersionKeeper({
      log: {
        identity: async () => identity,
        head: async () => {
          asked += 1;
          return head;
        },
      },
      versions: {
        tend: async (extent) => {
          tended.push(extent);
          if (failure) throw failure;
          return left;
        },
      },
      logger: recording.logger,
      everyMs: 1,
    });
    await keeper.start();
  });
  afterEach(() => keeper.close());

  const looks = async (more: number): Promise<void> => {
    const before = tended.length;
    await eventually(() => tended.length >= before + more);
  };
  const told = (level: string) => lines.filter((line) => line.level === level);

  it('tells how far the log goes, look by look', async () => {
    await looks(2);
    head = '7';
    await eventually(() => tended.at(-1)?.head === '7');
    expect(tended[0]).to.eql({ log: 'first', head: '3' });
  });

  it('tells nothing of an empty log', async () => {
    [identity, head] = [undefined, undefined];
    const before = asked;
    await eventually(() => asked > before + 1);
    const looked = tended.length;
    await eventually(() => asked > before + 5);
    expect(tended).to.have.length(looked);
  });

  it('tells nothing of a log that gets its first event meanwhile', async () => {
    for (const [id, end] of [
      [undefined, '1'],
      ['first', undefined],
    ]) {
      [identity, head] = [id, end];
      const before = asked;
      await eventually(() => asked > before + 1);
      const looked = tended.length;
      await eventually(() => asked > before + 5);
      expect(tended).to.have.length(looked);
    }
  });

  it('looks no more once it is closed', async () => {
    await looks(1);
    await keeper.close();
    const looked = tended.length;
    // As long as ten looks have taken.
    let turns = 0;
    await eventually(() => (turns += 1) > 10);
    expect(tended).to.have.length(looked);
  });

  it('says once whose readers are left behind, and what to do', async () => {
    left = [{ version: 3, readers: ['gateway'] }];
    await looks(5);
    expect(told('error')).to.have.length(1);
    expect(told('error')[0]).to.deep.include({
      message: 'Read models of another version are read, and nobody writes them: their readers refuse all',
      fields: {
        ...{ version: 3, readers: ['gateway'] },
        remedy: 'replace these processes, or start projections of their version',
      },
    });
    left = [];
    await looks(3);
    left = [{ version: 3, readers: ['gateway'] }];
    await looks(3);
    expect(told('error')).to.have.length(2);
  });

  it('goes on after failures, and tells of those that are not of an engine that is away', async () => {
    failure = new EngineUnavailable('read models');
    await looks(3);
    expect(told('warn')).to.eql([]);
    failure = new TypeError('a defect');
    await looks(3);
    const lost = 'The read models of other versions cannot be looked after; retrying';
    expect(told('warn').map(({ message }) => message)).to.eql([lost]);
    failure = undefined;
    await looks(2);
    const back = 'The read models of other versions are looked after again';
    expect(told('info').map(({ message }) => message)).to.eql([back]);
  });
});
