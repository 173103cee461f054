import type { PayloadStore } from '@roomwire/shared/ports/payloadStore';

/** For what reads payloads where there are none. */
export const noPayloads: Pick<PayloadStore, 'get' | 'limits'> = {
  limits: { retentionMs: 86_400_000, quotaBytes: 1_048_576 },
  get: async () => undefined,
};
