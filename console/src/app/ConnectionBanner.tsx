import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { CloudOff } from 'lucide-react';
import { awaitAnswer, connectivity } from '../api/connectivity.js';
import { Button } from '../components/Button.js';
import { useStore } from './store.js';

/** Says that the service does not answer, for as long as that is so; then everything shown is read again. */
export const ConnectionBanner = () => {
  const state = useStore(connectivity);
  const queries = useQueryClient();
  useEffect(
    () => (state === 'lost' ? awaitAnswer(() => void queries.refetchQueries({ type: 'active' })) : undefined),
    [state, queries],
  );
  return (
    <div role="status">
      {state === 'lost' && (
        <div className="connection-banner">
          <CloudOff aria-hidden size={16} />
          <span>The service does not answer. What you see may be out of date; trying again…</span>
          <Button look="quiet" onPress={() => void queries.refetchQueries({ type: 'active' })}>
            Try now
          </Button>
        </div>
      )}
    </div>
  );
};
