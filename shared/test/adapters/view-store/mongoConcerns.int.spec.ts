import { expect } from 'chai';
import type { Document } from 'mongodb';
import { at, putRoom } from '@roomwire/testing/contracts/view-store/storeUnderTest';
import { openMongoViewStores } from '../../../src/adapters/view-store/mongo/mongoViewStore.js';
import { noteCommands } from './mongoCommands.js';
import { linkTo, type Link } from './mongoLink.js';
import { testDatabase, type TestDatabase } from './mongoTestDatabase.js';

const reads = new Set(['find', 'aggregate', 'count', 'distinct']);
const writes = new Set(['insert', 'update', 'delete', 'findAndModify']);

const nameOf = (command: Document): string => Object.keys(command)[0] ?? '';

/** What goes over the wire, whatever the URL of the deployment says. */
describe('what is asked of MongoDB', function () {
  this.timeout(60_000);
  let database: TestDatabase;
  let link: Link;
  let commands: Document[];

  beforeEach(async () => {
    database = testDatabase();
    commands = [];
    link = await linkTo(database.url, (client) => noteCommands(client, commands));
  });
  afterEach(async () => {
    await link.close();
    await database.drop();
  });

  const sent = (names: ReadonlySet<string>): Document[] =>
    commands.filter((command) => names.has(nameOf(command)));

  for (const inUrl of ['', '&readConcernLevel=local&readPreference=secondaryPreferred&w=1'])
    it(`reads of rights see what a majority has, and projectors write to a majority: URL with '${inUrl}'`, async () => {
      const address = { url: link.url + inUrl, database: database.name };
      const { views, close } = await openMongoViewStores(address);
      await views.admitReaders(undefined);
      await views.apply({ changes: [putRoom('r1'), putRoom('r2')], position: at(1) });
      await views.apply({
        changes: [
          { removeWhere: 'rooms', filter: { roomId: 'r2' } },
          { patch: 'rooms', id: 'r1', set: { name: 'n' } },
        ],
        position: at(2),
      });
      commands.length = 0;
      expect(await views.get('rooms', 'r1')).to.include({ name: 'n' });
      expect(await views.find('rooms', { filter: { appId: 'app' } })).to.have.length(1);
      expect(await views.count('rooms', {})).to.equal(1);
      expect(await views.checkpoint()).to.equal(at(2));
      const asked = sent(reads);
      await views.apply({ changes: [putRoom('r3'), { remove: 'rooms', id: 'r1' }], position: at(3) });
      const written = sent(writes);
      await close();

      expect(asked.map(nameOf)).to.include.members(['find', 'aggregate']);
      for (const command of [...asked, ...sent(reads)]) {
        expect(command, nameOf(command))
          .to.have.property('readConcern')
          .that.deep.equals({ level: 'majority' });
        const { mode = 'primary' } = (command.$readPreference ?? {}) as { mode?: string };
        expect(mode).to.not.include('secondary');
      }
      expect(written).to.have.length.greaterThan(1);
      for (const command of written)
        expect(command.writeConcern, nameOf(command)).to.include({ w: 'majority' });
    });
});
