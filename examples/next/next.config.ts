import type { NextConfig } from 'next';

export default {
  // So that Next doesn't take a folder above for the project's.
  turbopack: { root: import.meta.dirname },
} satisfies NextConfig;
