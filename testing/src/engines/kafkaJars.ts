import { fileURLToPath } from 'node:url';
import { cachedFolder } from './cachedFolder.js';
import { isInstalled, runToEnd } from './childProcess.js';

/** As in the pom. */
const version = '3.9.1';
const pom = fileURLToPath(new URL('../../../engines/kafka/pom.xml', import.meta.url));

/** The folder with everything a broker needs, from Maven Central the first time. */
export const kafkaJars = (): Promise<string> =>
  cachedFolder(`kafka-${version}`, async (folder) => {
    await requireCommand('mvn', 'maven');
    await runToEnd('mvn', [
      '-q',
      '-B',
      '-f',
      pom,
      'dependency:copy-dependencies',
      `-DoutputDirectory=${folder}`,
    ]);
  });

export const requireJava = (): Promise<void> => requireCommand('java', 'openjdk-17-jre-headless');

const requireCommand = async (command: string, debianPackage: string): Promise<void> => {
  if (await isInstalled(command)) return;
  throw new Error(
    `Kafka for the tests needs the command ${command}, which is not installed. Debian: apt-get install ${debianPackage}`,
  );
};
