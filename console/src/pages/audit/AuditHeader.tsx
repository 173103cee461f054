import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { PageHeader } from '../../components/PageHeader.js';

const parts = [
  { href: '/', title: 'Changes' },
  { href: '/record', title: 'A record' },
  { href: '/refused', title: 'Refused' },
] as const;

/** The head of each part of the audit, with the way to the others. */
export const AuditHeader = ({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}) => {
  const [location] = useLocation();
  return (
    <>
      <PageHeader title={title}>{children}</PageHeader>
      <nav className="page-parts" aria-label="Parts of the audit">
        {parts.map((part) => (
          <Link key={part.href} href={part.href} aria-current={part.href === location ? 'page' : undefined}>
            {part.title}
          </Link>
        ))}
      </nav>
    </>
  );
};
