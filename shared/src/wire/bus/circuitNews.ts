import { count, described, listOf, object, text, tuple, type TypeOf } from '../schema.js';
import type { Channel } from './channel.js';
import { versionedRecord } from './recordCodec.js';

const circuitNews = object({
  consumer: described('A process that makes webhook calls: a new id with every start', text),
  failing: described(
    'Endpoints without a 2xx: how many calls it has made to each since the last one',
    listOf(tuple(described('Of a project and a URL', text), count)),
  ),
  accepted: described('Of these, or of what others said, endpoints that have answered 2xx', listOf(text)),
  tried: described('Endpoints that it has just tried while their circuits are open', listOf(text)),
});

/** [HOOK-CIRCUIT-1] What one process that makes calls has seen of endpoints, for the others. */
export type CircuitNews = TypeOf<typeof circuitNews>;

export const circuitNewsRecord = versionedRecord('news of webhook circuits', 1, circuitNews);

export const circuitNewsChannel: Channel<CircuitNews> = {
  name: 'webhook-circuits',
  key: ({ consumer }) => consumer,
  codec: circuitNewsRecord.codec,
};
