import { QueryClient } from '@tanstack/react-query';
import { isPassing } from '../api/failure.js';

const [mostRetries, longestWaitMs] = [3, 8_000];

/** Reads that fail for a while are made again; the others show their failure at once. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        // The page knows by its requests whether the service answers, which the browser does not.
        networkMode: 'always',
        retry: (failures, error) => isPassing(error) && failures < mostRetries,
        retryDelay: (failures) => Math.min(500 * 2 ** failures, longestWaitMs),
        staleTime: 5_000,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
