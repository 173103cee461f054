import { expect } from 'chai';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { EngineUnavailable, MadeFromAnotherLog } from '@roomwire/shared/ports/errors';
import type { LogOrigin, LogPosition } from '@roomwire/shared/ports/eventLog';
import { rejectionOf } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { createRecordingLogger, silentLogger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createCheckpointedFollower } from '../src/checkpointedFollower.js';
import { event } from './support/feedWorld.js';
import { newEvent, positionOf } from './support/history.js';
import { writtenLog } from './support/writtenLog.js';

describe('a follower of the log', () => {
  it('tells of an outage once, however often it tries, and once that it is over', async () => {
    const folder = await temporaryFolder();
    const data = await openDataFolder(folder.path);
    const log = await openEmbeddedEventLog(data);
    await log.append('s', 'none', [newEvent({ type: 'ProjectDeleted', data: { projectId: 'p' } }, 0)]);
    const { logger, lines } = createRecordingLogger();
    let checkpoint: LogPosition | undefined;
    let tries = 0;
    const follower = createCheckpointedFollower(
      { log, logger, maxBackoffMs: 1 },
      {
        name: 'audit index',
        checkpoint: async () => checkpoint,
        origin: async () => undefined,
        async apply(_events, { position }) {
          tries += 1;
          if (tries <= 21) throw new EngineUnavailable('audit index', { cause: new Error('refused') });
          checkpoint = position;
        },
        clear: async () => undefined,
      },
    );
    await follower.start();
    await eventually(() => lines.length === 2);
    await follower.close();
    await log.close();
    await data.close();
    await folder.remove();
    expect(tries).to.equal(22);
    expect(lines.map(({ level, message }) => `${level} ${message}`)).to.eql([
      'warn The audit index cannot be updated; retrying',
      'info The audit index is updated again',
    ]);
    expect(lines[0]?.fields).to.eql({ reason: 'refused' });
  });

  describe('that has a checkpoint', () => {
    const events = [event(1), event(2)];
    const originAt = (index: number, id = events[index - 1]?.id ?? ''): LogOrigin => ({
      ...{ log: events[0]?.id ?? '', position: positionOf(index), event: id },
    });

    const follow = (origin: LogOrigin, { refusesOtherLogs = false } = {}) => {
      const log = writtenLog(events);
      const state = { checkpoint: origin.position as LogPosition | undefined, cleared: 0, failing: 0 };
      const applied: (readonly [string, LogOrigin])[] = [];
      const follower = createCheckpointedFollower(
        { log, logger: silentLogger, maxBackoffMs: 1, refusesOtherLogs },
        {
          name: 'audit index',
          async checkpoint() {
            if ((state.failing -= 1) >= 0) throw new EngineUnavailable('audit index');
            return state.checkpoint;
          },
          origin: async () => origin,
          apply: async (batch, to) => void applied.push([batch.map(({ id }) => id).join(), to]),
          async clear() {
            state.checkpoint = undefined;
            state.cleared += 1;
          },
        },
      );
      return { log, follower, state, applied };
    };

    it('goes on behind it', async () => {
      const { log, follower, state, applied } = follow(originAt(1));
      await follower.start();
      await eventually(() => log.isFollowed);
      expect([log.followedFrom, state.cleared]).to.eql([positionOf(1), 0]);
      await log.deliver(...events.slice(1));
      expect(applied).to.eql([[events[1]?.id, originAt(2)]]);
      await follower.close();
    });

    it('begins again, before it has started, where that is of another log', async () => {
      const { log, follower, state } = follow({ ...originAt(2, 'another'), log: 'another' });
      await follower.start();
      expect(state.cleared).to.equal(1);
      await eventually(() => log.isFollowed);
      expect(log.followedFrom).to.equal(undefined);
      await follower.close();
    });

    it('does not start where that is of another log and must stay', async () => {
      const { log, follower, state } = follow(
        { ...originAt(2, 'another'), log: 'another' },
        { refusesOtherLogs: true },
      );
      expect(await rejectionOf(follower.start())).to.be.instanceOf(MadeFromAnotherLog);
      expect([state.cleared, log.isFollowed]).to.eql([0, false]);
    });

    it('starts while an engine fails, and looks again later', async () => {
      const { log, follower, state } = follow(originAt(1));
      state.failing = 2;
      await follower.start();
      await eventually(() => log.isFollowed);
      expect(log.followedFrom).to.equal(positionOf(1));
      await follower.close();
    });

    it('ends its subscription with itself', async () => {
      const { log, follower } = follow(originAt(1));
      await follower.start();
      await eventually(() => log.isFollowed);
      await follower.close();
      expect(log.isFollowed).to.equal(false);
    });
  });
});
