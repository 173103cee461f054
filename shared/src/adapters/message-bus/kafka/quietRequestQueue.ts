import { createRequire } from 'node:module';

interface RequestQueue {
  pending: readonly unknown[];
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  scheduleCheckPendingRequests: (this: RequestQueue) => void;
}

const require = createRequire(import.meta.url);
const { prototype } = require('kafkajs/src/network/requestQueue') as { readonly prototype: RequestQueue };
const original = prototype.scheduleCheckPendingRequests;

/**
 * kafkajs 2.2.4 lets every connection look for pending requests each millisecond, for ever: 5 % of a core per idle
 * connection. There are none unless a request was held back by `push`, which asks for the look by itself.
 * Not public: pinned version, and a test that fails when it is no longer as it was.
 */
export const quietRequestQueue = (): void => {
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0) original.call(this);
  };
};
