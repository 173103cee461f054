import { useQueryClient } from '@tanstack/react-query';
import { useProject } from '../session/console.js';

/** Reads everything of the project again that is shown: a change of an app shows in its rooms, too. */
export const useReadAgain = (): (() => Promise<void>) => {
  const queries = useQueryClient();
  const { projectId } = useProject();
  return () => queries.invalidateQueries({ queryKey: [projectId] });
};
