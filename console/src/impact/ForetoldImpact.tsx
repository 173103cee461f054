import { useQuery } from '@tanstack/react-query';
import { useProject } from '../session/console.js';
import { cutsNobodyOff, impactOf, type Change } from './impact.js';
import { ImpactShown } from './ImpactShown.js';

/** In a dialog that asks before a change: whom it would cut off; nothing where that is nobody. */
export const ForetoldImpact = ({ change }: { readonly change: Change }) => {
  const { api, projectId } = useProject();
  const { method, path, body } = change;
  const impact = useQuery({
    queryKey: [projectId, 'impact', method, path, body],
    queryFn: () => impactOf(api, change),
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
  if (impact.isPending || (impact.data !== undefined && cutsNobodyOff(impact.data))) return null;
  return <ImpactShown impact={impact.data} />;
};
