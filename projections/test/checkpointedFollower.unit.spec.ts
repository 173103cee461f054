import { expect } from 'chai';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type { LogPosition } from '@roomwire/shared/ports/eventLog';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createCheckpointedFollower } from '../src/checkpointedFollower.js';
import { newEvent } from './support/history.js';

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
});
