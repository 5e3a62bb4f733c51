@rem Windows has no `exec`, which package.json's scripts begin with so that npm's shell becomes Node.
@%*
