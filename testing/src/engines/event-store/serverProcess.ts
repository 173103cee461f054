import { join } from 'node:path';
import process from 'node:process';
import { createControl, type ControlAnswer, type ControlRequest } from './control.js';
import { createFaults } from './faults.js';
import { serve } from './server.js';
import type { Subscriptions } from './subscriptions.js';
import { TransactionLog, writeFirstSystemEvents } from './transactionLog.js';

/** The server as a process: a port and a data folder come in, the port that it listens on goes out. */
const [port = '0', dataDir = ''] = process.argv.slice(2);

const log = await TransactionLog.open(join(dataDir, 'events.jsonl'));
await writeFirstSystemEvents(log);
const subscriptions: Subscriptions = new Set();
const faults = createFaults();
const control = createControl(log, subscriptions, faults);

const obey = async ({ id, command, argument }: ControlRequest): Promise<void> => {
  const answer: ControlAnswer = { id, result: await control[command](argument) };
  process.send?.(answer);
};
process.on('message', (request: ControlRequest) => void obey(request));
// Its parent has ended: a server for tests must not outlive them.
process.once('disconnect', () => process.exit());

const listeningOn = await serve(log, subscriptions, faults, Number(port));
process.send?.({ port: listeningOn });
