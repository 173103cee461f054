import { Link } from 'wouter';
import { usePathTo } from '../app/paths.js';
import { readPrincipal } from './readPrincipal.js';

interface PrincipalProps {
  readonly principal: string;
  /** Where it leads: to everything that they did, or that was refused to them. */
  readonly leadsTo?: 'changes' | 'refusals';
}

/** Who did something. */
export const Principal = ({ principal, leadsTo = 'changes' }: PrincipalProps) => {
  const pathTo = usePathTo();
  const { kind, name } = readPrincipal(principal);
  const asked = { principal };
  return (
    <span className="principal">
      {kind !== '' && `${kind} `}
      <Link
        href={leadsTo === 'changes' ? pathTo('audit', asked) : pathTo('audit', 'refused', asked)}
        title={principal}
      >
        {name}
      </Link>
    </span>
  );
};
