import { EngineUnavailable } from '@roomwire/shared/ports/errors';

/** What gateways are asked through. Throws while this process cannot ask them. */
export const available = <Asked>(asked: Asked | undefined): Asked => {
  if (asked === undefined) throw new EngineUnavailable('live state');
  return asked;
};
