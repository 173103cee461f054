import { CircleAlert } from 'lucide-react';
import { ApiFailure } from '../api/failure.js';
import { Button } from './Button.js';

interface ProblemProps {
  readonly error: Error;
  /** Offers to try again. */
  readonly retry?: () => unknown;
  /** Paths of problems that are shown elsewhere, at their fields. */
  readonly shownElsewhere?: ReadonlySet<string>;
}

/** What the service refused, and why, as it says it. */
export const Problem = ({ error, retry, shownElsewhere = new Set() }: ProblemProps) => {
  const problems = error instanceof ApiFailure ? error.problems : [];
  const here = problems.filter(({ path }) => !shownElsewhere.has(path));
  return (
    <div className="problem" role="alert">
      <CircleAlert aria-hidden size={16} />
      <div>
        <p>{error.message}</p>
        {here.length > 0 && (
          <ul>
            {here.map(({ path, message }) => (
              <li key={`${path} ${message}`}>
                {path !== '' && <code>{path}</code>} {message}
              </li>
            ))}
          </ul>
        )}
      </div>
      {retry && (
        <Button look="secondary" onPress={() => void retry()}>
          Try again
        </Button>
      )}
    </div>
  );
};
