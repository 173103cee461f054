import { expect } from 'chai';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { connectionRecordContract } from '@roomwire/testing/contracts/connectionRecordContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { openEmbeddedConnectionRecord } from '../../../src/adapters/connection-record/embeddedConnectionRecord.js';
import { standingMs, type FactBatch } from '../../../src/wire/bus/connectionFacts.js';

connectionRecordContract('files', async () => {
  const folder = await temporaryFolder();
  const files = { file: (name: string) => join(folder.path, name) };
  return reopenable(
    () => openEmbeddedConnectionRecord(files),
    () => folder.remove(),
  );
});

describe('the record of connections on files', () => {
  it('has a bound, beyond which the oldest facts go, and knows that they have', async () => {
    const folder = await temporaryFolder();
    const record = await openEmbeddedConnectionRecord({ file: (name) => join(folder.path, name) }, 20_000);
    const batch = (n: number): FactBatch => ({
      ...{ gateway: 'g1', number: n, from: n, upTo: n + 1 },
      facts: [
        {
          ...{ connection: `c${n}`, at: n, kind: 'authenticated', organizationId: 'o1', projectId: 'p1' },
          ...{ actorTokenId: 'a1', keyId: 'k', actorType: 'human', scope: null, mark: 'm', address: '::1' },
          connectedAt: n,
        },
      ],
    });
    for (let n = 1; n <= 200; n += 1) await record.write([batch(n)]);
    const { connections } = await record.find({ organizationId: 'o1', limit: 200 });
    expect(connections.length).to.be.within(40, 90);
    expect(connections[0]?.connectionId).to.equal('c200');
    const { knownFrom } = await record.coverage({ from: 200, to: 200 });
    expect(knownFrom).to.equal(standingMs + 200 - connections.length);
    await record.close();
    await folder.remove();
  });

  it('writes nothing to the disk where nothing has happened, and knows of it all the same', async () => {
    const folder = await temporaryFolder();
    const path = join(folder.path, 'record.lmdb');
    const open = () => openEmbeddedConnectionRecord({ file: () => path });
    const [second, minute] = [1_000, 60_000];
    const quiet = (number: number, upTo: number): FactBatch => ({
      ...{ gateway: 'g1', number, from: upTo - second, upTo, facts: [] },
    });
    const knownUpTo = async () => (await record.coverage({ from: 0, to: minute })).gateways[0]?.knownUpTo;
    let record = await open();
    await record.write([quiet(1, second)]);
    const { mtimeMs } = statSync(path);
    await record.write([quiet(2, 2 * second), quiet(3, 3 * second)]);
    expect(statSync(path).mtimeMs).to.equal(mtimeMs);
    expect(await knownUpTo()).to.equal(3 * second);
    await record.close();
    record = await open();
    expect(await knownUpTo()).to.equal(second);
    expect(await record.giveUp(await record.running(), minute)).to.eql(['g1']);
    await record.close();
    await folder.remove();
  });
});
