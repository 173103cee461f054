import type { PublishFrame } from '@roomwire/shared/wire/protocol/clientFrames';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { maxDataBytes } from '@roomwire/shared/wire/protocol/limits';
import type { ProtocolErrorName } from '@roomwire/shared/wire/protocol/protocolErrors';
import { filterError } from './filters.js';

type Published = Pick<PublishFrame, 'data' | 'filter' | 'filters'>;

/** Why a publish is refused whoever makes it; undefined where it is not. */
export const frameError = (frame: Published): ProtocolErrorName | undefined =>
  sizeError(frame) ?? publishFilterError(frame);

/** [WS-LATER-2] */
export const scheduleError = (
  { deliverAt }: Pick<PublishFrame, 'deliverAt'>,
  now: number,
): ProtocolErrorName | undefined =>
  deliverAt !== undefined && deliverAt > now + limitTable.scheduleAhead.value ? 'invalidFrame' : undefined;

/** [WS-PUB-5] */
const sizeError = ({ data }: Published): ProtocolErrorName | undefined =>
  data.length > maxDataBytes ? 'messageTooLarge' : undefined;

/** [WS-FILTER-2] */
const publishFilterError = ({ filter, filters }: Published): ProtocolErrorName | undefined => {
  if (filter === undefined) return filters.length === 0 ? undefined : filterError(filters);
  return filterError([filter, ...filters]);
};
