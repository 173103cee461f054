import { PageHeader } from '../../components/PageHeader.js';

interface GoneProps {
  readonly what: 'app' | 'room';
  readonly up: { readonly href: string; readonly title: string };
}

export const Gone = ({ what, up }: GoneProps) => (
  <PageHeader title={`There is no such ${what}`} up={up}>
    It was deleted, or it never was in this project.
  </PageHeader>
);
