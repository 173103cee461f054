import { join } from 'node:path';
import { expect } from 'chai';
import { openEmbeddedMessageBus } from '../../../src/adapters/message-bus/embeddedMessageBus.js';
import { tellOfFailedJob } from '../../../src/adapters/message-bus/failedJob.js';
import { JobRequeued } from '../../../src/ports/errors.js';
import type { Logger } from '../../../src/ports/logger.js';
import { jobs, type Note } from '@roomwire/testing/contracts/message-bus/busUnderTest';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';

const note: Note = { key: 'a', value: 1 };

const recording = (): { readonly logger: Logger; readonly lines: string[] } => {
  const lines: string[] = [];
  const write = (message: string): void => void lines.push(message);
  return { lines, logger: { debug: write, info: write, warn: write, error: write } };
};

describe('a job that is given back', () => {
  it('is done again, and the log is not told', async () => {
    const folder = await temporaryFolder();
    const { logger, lines } = recording();
    const bus = await openEmbeddedMessageBus({ file: (name) => join(folder.path, name) }, { logger });
    await bus.put(jobs, note);
    const givenBack = new Promise<void>((resolve) => {
      void bus.work(jobs, { concurrency: 1 }, async () => {
        setImmediate(resolve);
        throw new JobRequeued();
      });
    });
    await givenBack;
    await bus.close();
    expect(lines).to.deep.equal([]);
    const later = await openEmbeddedMessageBus({ file: (name) => join(folder.path, name) });
    const again = new Promise<Note>((resolve) => {
      void later.work(jobs, { concurrency: 1 }, async (job) => resolve(job));
    });
    expect(await again).to.deep.equal(note);
    await later.close();
    await folder.remove();
  });

  it('is told from one that has failed', () => {
    const { logger, lines } = recording();
    tellOfFailedJob(logger, 'jobs', new JobRequeued());
    tellOfFailedJob(logger, 'jobs', new Error('failed'));
    expect(lines).to.deep.equal(['A job failed and is done again']);
  });
});
