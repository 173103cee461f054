import { expect } from 'chai';
import { openEmbeddedAuditIndex } from '@roomwire/shared/adapters/audit-index/embeddedAuditIndex';
import { createChainedEventLog } from '@roomwire/shared/adapters/event-log/chainedEventLog';
import { openEmbeddedEventLog } from '@roomwire/shared/adapters/event-log/embeddedEventLog';
import { openDataFolder } from '@roomwire/shared/adapters/lmdb/dataFolder';
import { openEmbeddedMessageBus } from '@roomwire/shared/adapters/message-bus/embeddedMessageBus';
import { systemClock } from '@roomwire/shared/adapters/system/systemClock';
import { systemRandom } from '@roomwire/shared/adapters/system/systemRandom';
import { openEmbeddedViewStores } from '@roomwire/shared/adapters/view-store/embeddedViewStore';
import { auditHeadsStream, noOrganization } from '@roomwire/shared/domain/auditHeads';
import type { RecordedEvent } from '@roomwire/shared/domain/eventEnvelope';
import { domainEventFeed } from '@roomwire/shared/wire/bus/domainEventFeed';
import { newEvents } from '@roomwire/testing/contracts/event-log/eventLogUnderTest';
import { createRecordingLogger } from '@roomwire/testing/fakes/loggers';
import { noPayloads } from '@roomwire/testing/fakes/noPayloads';
import { eventually } from '@roomwire/testing/run/eventually';
import { temporaryFolder } from '@roomwire/testing/run/temporaryFolder';
import { createAuditFollower } from '../src/auditFollower.js';
import { createAuditHeads } from '../src/auditHeads.js';
import { createProjections } from '../src/projections.js';

describe('records of the heads of audit chains', () => {
  it('are passed over by read models, feed and audit index, and logged as witnesses', async () => {
    const files = await temporaryFolder();
    const folder = await openDataFolder(files.path);
    const plain = await openEmbeddedEventLog(folder);
    const log = createChainedEventLog(plain, { current: new Uint8Array(32).fill(1) });
    const stores = await openEmbeddedViewStores(folder);
    const { views } = stores;
    const bus = await openEmbeddedMessageBus(folder);
    const index = await openEmbeddedAuditIndex(folder);
    const { logger, lines } = createRecordingLogger();
    const fed: RecordedEvent[] = [];
    await bus.read(domainEventFeed, { interest: 'all' }, (event) => void fed.push(event));
    const deps = { log, views, bus, index, logger, clock: systemClock, random: systemRandom };
    const services = [
      createProjections({ ...deps, payloads: noPayloads }),
      createAuditFollower(deps),
      createAuditHeads({ ...deps, everyMs: 5 }),
    ];
    for (const each of services) await each.start();

    await log.append('room-1', 'none', newEvents(2));
    await eventually(async () => (await log.readLast(auditHeadsStream)) !== undefined);
    await log.append('room-1', 1, newEvents(1));
    await eventually(async () => (await log.readLast(auditHeadsStream))!.revision > 0);
    const last = (await log.readLast(auditHeadsStream))!;
    expect(await views.reached(last.position, 5_000)).to.equal(true);
    expect(await index.reached(last.position, 5_000)).to.equal(true);
    await eventually(() => fed.length === 3);

    expect(fed.map(({ stream }) => stream)).to.eql(['room-1', 'room-1', 'room-1']);
    const ofNobody = { organizationId: noOrganization, order: 'newest first', limit: 10 } as const;
    expect(await index.find(ofNobody)).to.eql([]);
    const witness = `${last.revision}:${last.metadata.proof?.mac}`;
    await eventually(() =>
      lines.some(
        ({ level, message, fields }) =>
          level === 'info' &&
          message === 'Heads of the audit chains recorded' &&
          fields?.['witness'] === witness,
      ),
    );
    for (const each of services) await each.close();
    // The events of the test itself hold no record, and are skipped.
    const skipped = lines.filter(({ message }) => message === 'An event was skipped');
    expect(skipped.every(({ fields }) => fields?.['type'] === 'RoomCreated')).to.equal(true);
    for (const each of [bus, stores, index, plain, folder]) await each.close();
    await files.remove();
  });
});
