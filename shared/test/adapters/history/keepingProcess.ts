import { join } from 'node:path';
import process from 'node:process';
import { openEmbeddedHistoryIndex } from '../../../src/adapters/history-index/embeddedHistoryIndex.js';
import { openEmbeddedMessageBus } from '../../../src/adapters/message-bus/embeddedMessageBus.js';
import { systemClock } from '../../../src/adapters/system/systemClock.js';
import { HistoryJournal } from '../../../src/history/historyJournal.js';
import { liveMessages } from '../../../src/wire/bus/liveMessage.js';
import { keptMessage, otherMessage, room } from '../../history/keptMessages.js';

/** Publishes in a few rooms, and says of each message when it is delivered and when it is safe, until it is killed. */
const [path = '', from = '0'] = process.argv.slice(2);
const folder = { file: (name: string) => join(path, name) };
const index = await openEmbeddedHistoryIndex(folder);
const journal = await HistoryJournal.open(index, systemClock);
const bus = await openEmbeddedMessageBus(folder, { journal });

await bus.read(liveMessages, { interest: 'all' }, ({ id, kept }, offset) => {
  if (kept) process.send?.({ delivered: id, offset });
});
let n = Number(from);
const publishIn = async (name: string): Promise<void> => {
  for (;;) {
    void bus.send(liveMessages, otherMessage((n += 1), { room: `${room}-${name}` }), 'none');
    const message = keptMessage((n += 1), name);
    const offset = await bus.send(liveMessages, message, 'stored');
    process.send?.({ acknowledged: message.id, offset });
  }
};
await Promise.all(['one', 'two', 'three'].map(publishIn));
