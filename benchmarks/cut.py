"""How low are the cuts of our clusterings, against the best known ones and against others'?

    python benchmarks/cut.py                        # all instances, ten seeds
    python benchmarks/cut.py --quick                # five small instances, two seeds
    python benchmarks/cut.py --only lastfm-k5 --effort fast default
    python benchmarks/cut.py --peers                # scikit-learn, METIS, KaHIP, VFC, Bera too
    python benchmarks/cut.py --update               # better labels go into the best known file
    python benchmarks/cut.py --improve lastfm-k5-0.2 --seconds 60   # look for better ones
    python benchmarks/cut.py --exact 100            # against the optimum of small problems
    python benchmarks/cut.py --pairs 30             # does a graph suffer from detached pairs?
    python benchmarks/cut.py --large --effort default  # time a graph of 68,000 people
    python benchmarks/cut.py --beside               # is fast as quick as scikit-learn?
    python benchmarks/cut.py --report               # tables and picture into docs/

Every cut, every cell and every size is counted again from the labels. Runs are kept in a file as
they finish, and a run that is there is not repeated. The best known clusterings are in
benchmarks/best_known_cuts.json, which only ever improves. The real data are read from the folder
that FAIRSPECTRAL_DATA names; `pip install -e 'benchmarks[peers]'` installs METIS and KaHIP.
"""

from fairspectral_benchmarks.cut.command import main

if __name__ == "__main__":
    main()
