import { expect } from 'chai';
import { authenticated, FactGateway, start } from '@roomwire/testing/builders/connectionFacts';
import { connectionRecordContract } from '@roomwire/testing/contracts/connectionRecordContract';
import { reopenable } from '@roomwire/testing/contracts/reopenable';
import { writeBatches } from '../../../src/adapters/connection-record/mongo/factWriting.js';
import { giveUp, runningGateways } from '../../../src/adapters/connection-record/mongo/givingUp.js';
import { openMongoConnectionRecord } from '../../../src/adapters/connection-record/mongo/mongoConnectionRecord.js';
import {
  makeRecordIndexes,
  recordCollections,
  type RecordCollections,
} from '../../../src/adapters/connection-record/mongo/recordCollections.js';
import { MongoConnection } from '../../../src/adapters/mongo/connection.js';
import type { FactBatch } from '../../../src/wire/bus/connectionFacts.js';
import { mongoUrl, testDatabase } from '../view-store/mongoTestDatabase.js';

describe('on the MongoDB of this run', () => {
  before(() => void mongoUrl());

  connectionRecordContract('MongoDB', async () => {
    const database = testDatabase();
    const address = { url: database.url, database: database.name };
    return reopenable(
      () => openMongoConnectionRecord(address),
      () => database.drop(),
    );
  });

  describe('with gateways that write again while they are given up', () => {
    let connection: MongoConnection;
    let collections: RecordCollections;
    let drop: () => Promise<void>;

    beforeEach(async () => {
      const { url, name, drop: dropDatabase } = testDatabase();
      drop = dropDatabase;
      connection = new MongoConnection({ url, database: name }, 'connection record');
      await connection.connect();
      collections = recordCollections(connection.database);
      await makeRecordIndexes(collections);
    });
    afterEach(async () => {
      await connection.close();
      await drop();
    });

    const write = async (batch: FactBatch): Promise<void> => void (await writeBatches(collections, [batch]));
    const openAt = (gateway: string): Promise<number> =>
      collections.connections.countDocuments({ gateway, state: 'open' });
    /** Gives up all of them; what else happens, does so once, before or behind the first request that ends connections. */
    const giveUpWhile = async (when: 'before' | 'behind', happens: () => Promise<void>): Promise<void> => {
      let isFirst = true;
      const connections = Object.create(collections.connections) as typeof collections.connections;
      connections.bulkWrite = async (operations, options) => {
        const happensNow = isFirst;
        isFirst = false;
        if (happensNow && when === 'before') await happens();
        const result = await collections.connections.bulkWrite(operations, options);
        if (happensNow && when === 'behind') await happens();
        return result;
      };
      await giveUp({ ...collections, connections }, await runningGateways(collections), start + 60_000);
    };

    it('leaves those of one open that is back before its turn', async () => {
      const [one, other] = [new FactGateway('g1'), new FactGateway('g2')];
      await write(one.batch([authenticated('c1')]));
      await write(other.batch([authenticated('d1')]));
      await giveUpWhile('behind', async () => write(((await openAt('g1')) === 0 ? other : one).batch()));
      expect((await openAt('g1')) + (await openAt('g2'))).to.equal(1);
    });

    it('opens those again that it ends just when their gateway is back', async () => {
      const gateway = new FactGateway('g1');
      await write(gateway.batch([authenticated('c1'), authenticated('c2')]));
      await giveUpWhile('before', () => write(gateway.batch()));
      expect(await openAt('g1')).to.equal(2);
    });
  });
});
