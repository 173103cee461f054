import { Buffer } from 'node:buffer';
import type { Channel, RecordVersions, WorkQueue } from '../../../src/wire/bus/channel.js';

/** Texts on the bus as a release of a made-up program has them; what is read says in which version it was written. */
const release = (versions: RecordVersions) => {
  const texts: Channel<string> = {
    name: 'texts',
    key: () => 'one',
    codec: {
      versions,
      encode: (text, version = versions.newest) => Buffer.from(`${version} ${text}`),
      decode: (bytes) => {
        const [version, text = ''] = Buffer.from(bytes).toString().split(' ');
        if (Number(version) > versions.newest) throw new Error(`Version ${version} is not known`);
        return `${text} in ${version}`;
      },
    },
  };
  const jobs: WorkQueue<string> = { ...texts, name: 'text-jobs', delayMs: 0 };
  return { texts, jobs };
};

export const first = release({ newest: 1, previous: 1 });
export const second = release({ newest: 2, previous: 1 });
