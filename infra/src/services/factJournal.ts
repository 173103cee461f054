import { openFactJournal } from '@roomwire/shared/adapters/fact-journal/factJournal';
import { webhookOutcomes } from '@roomwire/shared/wire/bus/webhookOutcomes';
import { isGroupRecord, roomRecords } from '@roomwire/shared/wire/bus/roomRecord';
import { createMessageFactOf, outcomeFactOf } from '@roomwire/analytics/facts/facts';
import { streamNames } from '@roomwire/analytics/facts/factStream';
import type { ServiceContext } from './service.js';

/** As long as the broker keeps the longer of the streams, and a weekend more. */
const keptMs = 7 * 86_400_000;

/** Keeps what the bus in this process brings for the analytics, which run in a process of their own. */
export const startFactJournal = async ({
  config,
  logger,
  clock,
  adapters,
  closing,
}: ServiceContext): Promise<void> => {
  if (!config.analytics || !config.engines.bus.onFiles) return;
  const [folder, bus] = [await adapters.folder(), await adapters.bus()];
  const journal = openFactJournal(folder, { streams: streamNames, keptMs, clock, logger });
  closing.push(() => journal.close());
  const messageFactOf = createMessageFactOf(config.analyticsPayloads);
  const readers = [
    await bus.read(roomRecords, { interest: 'all' }, (record) => {
      if (!isGroupRecord(record)) journal.append('messages', messageFactOf(record, clock.now()));
    }),
    await bus.read(webhookOutcomes, { interest: 'all' }, (outcome) =>
      journal.append('webhook-outcomes', outcomeFactOf(outcome)),
    ),
  ];
  closing.push(async () => void (await Promise.all(readers.map((reader) => reader.close()))));
};
