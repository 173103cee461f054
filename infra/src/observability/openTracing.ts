import type { Logger } from '@roomwire/shared/ports/logger';
import type { Tracing } from '@roomwire/shared/ports/tracing';
import type { Config } from '../config/config.js';
import type { ClosingStack } from '@roomwire/shared/runtime/closingStack';
import type { ServiceName } from '../services/service.js';

/** The libraries are loaded only where they are used. Undefined where no traces are configured. */
export const openTracing = async (
  services: readonly ServiceName[],
  { tracing: settings }: Pick<Config, 'tracing'>,
  logger: Logger,
  closing: ClosingStack,
): Promise<Tracing | undefined> => {
  if (settings === undefined) return undefined;
  const { openTelemetry } = await import('./openTelemetry.js');
  const [only, ...others] = services;
  const name = others.length === 0 && only !== undefined ? `roomwire-${only}` : 'roomwire';
  const { tracing, close } = openTelemetry(settings, name, logger);
  closing.push(close);
  logger.info('Sending traces', { sampler: settings.sampler });
  return tracing;
};
