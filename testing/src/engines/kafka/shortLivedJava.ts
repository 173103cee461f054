import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cachedFolder } from '../cachedFolder.js';
import { startKafka } from '../kafka.js';
import { kafkaVersion, requireJava } from './brokerProcess.js';

/** Which classes an archive fits: those of this very Java. */
const javaBuild = async (): Promise<string> => {
  await requireJava();
  const { stderr } = await promisify(execFile)('java', ['-version']);
  return createHash('sha256').update(stderr).digest('hex').slice(0, 8);
};

/** The classes of a broker, as one that ran has loaded them: written once for all runs on this machine. */
const classArchive = async (): Promise<string> => {
  const name = 'classes.jsa';
  const folder = await cachedFolder(`kafka-${kafkaVersion}-classes-${await javaBuild()}`, async (empty) => {
    const broker = await startKafka({ java: [`-XX:ArchiveClassesAtExit=${join(empty, name)}`] });
    await broker.kill('SIGTERM');
    await broker.close();
  });
  return join(folder, name);
};

/**
 * For `JDK_JAVA_OPTIONS`, which every Java below this process obeys. A broker that lives for seconds spends most of its time on
 * loading and compiling what it runs; with these it starts with less than half of the work. One that is measured must not have them.
 */
export const shortLivedJava = async (): Promise<string> =>
  `-XX:TieredStopAtLevel=1 -XX:SharedArchiveFile=${await classArchive()}`;
