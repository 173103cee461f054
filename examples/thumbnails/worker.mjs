/** One worker: `node worker.mjs <manner>`; what it needs to connect, and where thumbnails go, is in its environment. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from '@roomwire/sdk';
import { jobs } from './studio.mjs';
import { asPgm, thumbnailOf } from './thumbnail.mjs';

const { STUDIO_SESSION: session, STUDIO_OUT: out } = process.env;
const { url, token, topic, group } = JSON.parse(session);
const [manner] = process.argv.slice(2);
const say = (what) => process.stdout.write(`${manner}: ${what}\n`);

/** What goes wrong with this one, besides pictures that are broken. */
const troubles = {
  /** It does not come back from its first picture: five seconds later the job is another worker's, and this one goes on with others. */
  hangs: (count) => (count === 1 ? new Promise(() => undefined) : undefined),
  /** Every third picture fails: it is given back, and taken again. */
  throws(count) {
    if (count % 3 === 0) throw new Error('out of memory');
  },
  /** It is slow, so that it has some pictures whenever it is killed. */
  killed: () => pause(200),
};

let taken = 0;
const make = async ({ data, delivery }) => {
  taken += 1;
  say(`takes ${data.name}${delivery > 1 ? ` (delivery ${delivery})` : ''}`);
  await troubles[manner]?.(taken);
  await pause(50);
  // A job may be done twice, by a worker that was thought lost: it does no harm, since the file has the same name and content.
  await writeFile(join(out, `${data.name}.pgm`), asPgm(thumbnailOf(data)));
  say(`has made ${data.name}`);
};

const client = connect({ url, token });
client.on('error', ({ cause, message }) => say(`gives a picture back: ${cause?.message ?? message}`));
await client.ready();
say('works');
await client.subscribe(topic, make, { loadBalance: true, loadBalanceGroup: group, concurrency: 4, jobs });
process.once('SIGTERM', () => client.close());
